#!/usr/bin/env python3
"""A scripted model for other people's agents, in the four protocols that they speak.

    agentmodel.py PORTFILE LOG COMMAND...

Serves on a free port of loopback, written to PORTFILE. Whoever asks is told to run one
COMMAND after the other by its shell tool, then that all is done. How many have been run is
told by the tool results in the question, so several agents may ask at once. Each question is
a line of LOG. Forms: chat completions (opencode), responses (codex), messages (claude),
generateContent (gemini).
"""

import http.server
import json
import os
import sys


def chat(q):
    done = sum(m["role"] == "tool" for m in q["messages"])
    if not q.get("tools"):
        return done, None
    return done, "bash"


def chat_events(call, name):
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stub"}
    if call is None:
        delta, why = {"role": "assistant", "content": "All is done."}, "stop"
    else:
        arguments = json.dumps({"command": call, "description": "a step"})
        delta = {"role": "assistant", "tool_calls": [
            {"index": 0, "id": "call_%d" % abs(hash(call)), "type": "function",
             "function": {"name": name, "arguments": arguments}}]}
        why = "tool_calls"
    yield None, dict(head, choices=[{"index": 0, "delta": delta, "finish_reason": None}])
    yield None, dict(head, choices=[{"index": 0, "delta": {}, "finish_reason": why}],
                     usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})


def responses(q):
    done = sum(i.get("type", "").endswith("_call_output") for i in q["input"])
    return done, "exec_command"


def response_events(call, name):
    if call is None:
        item = {"type": "message", "id": "m1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": "All is done.", "annotations": []}]}
    else:
        item = {"type": "function_call", "id": "f1", "call_id": "call_%d" % abs(hash(call)), "name": name,
                "arguments": json.dumps({"cmd": call}), "status": "completed"}
    answer = {"id": "r1", "object": "response", "status": "completed", "model": "stub", "output": [item],
              "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                        "input_tokens_details": {"cached_tokens": 0},
                        "output_tokens_details": {"reasoning_tokens": 0}}}
    yield "response.created", {"type": "response.created", "response": dict(answer, output=[], status="in_progress")}
    yield "response.output_item.added", {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield "response.output_item.done", {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield "response.completed", {"type": "response.completed", "response": answer}


def messages(q):
    done = sum(isinstance(m["content"], list) and any(p.get("type") == "tool_result" for p in m["content"])
               for m in q["messages"])
    return done, "Bash" if any(t.get("name") == "Bash" for t in q.get("tools", [])) else None


def message_events(call, name):
    start = {"id": "m1", "type": "message", "role": "assistant", "model": "stub", "content": [],
             "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    yield "message_start", {"type": "message_start", "message": start}
    if call is None:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "All is done."}
    else:
        block = {"type": "tool_use", "id": "call_%d" % abs(hash(call)), "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps({"command": call, "description": "a step"})}
    yield "content_block_start", {"type": "content_block_start", "index": 0, "content_block": block}
    yield "content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": 0}
    yield "message_delta", {"type": "message_delta", "usage": {"output_tokens": 1},
                            "delta": {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}}
    yield "message_stop", {"type": "message_stop"}


def contents(q):
    done = sum(any("functionResponse" in p for p in c.get("parts", [])) for c in q["contents"])
    return done, "run_shell_command" if q.get("tools") else None


def content_events(call, name):
    part = {"text": "All is done."} if call is None else {
        "functionCall": {"name": name, "args": {"command": call, "description": "a step"}}}
    yield None, {"candidates": [{"index": 0, "finishReason": "STOP",
                                 "content": {"role": "model", "parts": [part]}}],
                 "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}}


FORMS = (("chat/completions", chat, chat_events), ("responses", responses, response_events),
         ("messages", messages, message_events), (":streamGenerateContent", contents, content_events))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self):
        self.answer("application/json", b"{}")

    def do_GET(self):
        self.answer("application/json", b'{"object":"list","data":[{"id":"stub","object":"model"}]}')

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with open(self.server.log, "ab") as f:
            f.write(raw.replace(b"\n", b" ") + b"\n")
        path = self.path.split("?")[0]
        for end, steps, events in FORMS:
            if path.endswith(end):
                done, name = steps(json.loads(raw))
                call = self.server.commands[done] if name and done < len(self.server.commands) else None
                text = "".join((f"event: {e}\n" if e else "") + f"data: {json.dumps(d)}\n\n"
                               for e, d in events(call, name))
                if end == "chat/completions":
                    text += "data: [DONE]\n\n"
                self.answer("text/event-stream", text.encode())
                return
        self.answer("application/json", b"{}")

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.log, server.commands = sys.argv[2], sys.argv[3:]
    with open(sys.argv[1] + ".new", "w", encoding="ascii") as f:
        print(server.server_address[1], file=f)
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    server.serve_forever()


main()
