"""tools.json: the calls of the small model as tools, for the engine's grammar.

x-forms says what an argument may look like; every name and text is a run of words of the conversation.
"""

import json

import tokenizer

NAME = ["{whole}", "{folder}/{whole}"]
FORMS = {"path": NAME, "from": NAME, "to": NAME, "text": ["{phrase}", ""], "old": ["{phrase}"],
         "new": ["{phrase}"], "command": ["{phrase}"]}


def tool(call):
    props = {}
    for a in tokenizer.CALLS[call]:
        props[a] = {"type": "string"}
        if a in tokenizer.CHOICES:
            props[a]["enum"] = list(tokenizer.CHOICES[a])
        elif call in ("search", "list") and a == "path":
            props[a]["x-forms"] = [*NAME, "."]
        elif call == "search" and a == "text":
            props[a]["x-forms"] = ["{phrase}"]
        else:
            props[a]["x-forms"] = FORMS[a]
    return {"name": call, "parameters": {"type": "object", "properties": props, "required": list(tokenizer.CALLS[call])}}


if __name__ == "__main__":
    print(json.dumps([tool(c) for c in tokenizer.CALLS], indent=None, separators=(",", ":")))
