#!/bin/bash
# agentctl serve: models, chat completions whole and streamed, tools, several clients at once with what
# they share reused, keys, limits, and an end in the middle of it. Loopback and a Unix socket only.
# timeout: 120
. "$TESTS/lib.sh"
requires_fuse
requires python3
python3 "$TESTS/tools/tinymodel.py" "$TMP/third" "$SRC/agentctl/model/checkpoint/tokenizer.json" || fail 'no model'
python3 "$TESTS/tools/tinymodel.py" "$TMP/second" "$SRC/agentctl/model/checkpoint/tokenizer.json" --second || fail 'no model'

serve() { # NAME OPTION...: URL is where
	agentctl serve --listen 127.0.0.1:0 "${@:2}" 2>"$TMP/$1.log" &
	SERVER=$!
	at_exit "kill $SERVER 2>/dev/null; wait $SERVER 2>/dev/null"
	wait_for 10 grep -q serving "$TMP/$1.log"
	URL=$(sed -n 's/.* at \(http.*\)/\1/p' "$TMP/$1.log")
}

serve small
cat >"$TMP/small.py" <<'PY'
import json, sys, urllib.error, urllib.request
url = sys.argv[1]

def ask(path, body=None, **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
    try:
        with urllib.request.urlopen(urllib.request.Request(url + path, data, headers), timeout=30) as r:
            return r.status, r.read().decode(), r.headers["Content-Type"]
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode(), e.headers["Content-Type"]

def chat(messages, **more):
    status, text, _ = ask("/chat/completions", dict(messages=messages, **more))
    assert status == 200, (status, text)
    return json.loads(text)

status, text, kind = ask("/models")
assert status == 200 and kind == "application/json" and json.loads(text)["data"][0]["id"] == "embedded", text
shell = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object", "required": ["command", "description"],
          "properties": {"command": {"type": "string"}, "description": {"type": "string"}}}}}]
m = [{"role": "system", "content": "You are an agent."},
     {"role": "user", "content": [{"type": "text", "text": "How many lines does "}, {"type": "text", "text": "notes.txt have?"}]}]
a = chat(m, tools=shell, model="x")
c = a["choices"][0]
assert c["finish_reason"] == "tool_calls" and a["object"] == "chat.completion" and a["usage"]["completion_tokens"] > 0, a
call = c["message"]["tool_calls"][0]
args = json.loads(call["function"]["arguments"])
assert call["function"]["name"] == "bash" and "notes.txt" in args["command"] and args["description"], call
m += [c["message"], {"role": "tool", "tool_call_id": call["id"], "content": "12"}]
a = chat(m, tools=shell)
assert a["choices"][0]["finish_reason"] == "stop" and a["choices"][0]["message"]["content"] == "12", a
m[-1]["content"] = "awk: cannot open notes.txt\n(exit code: 2)"
assert "Stopped" in chat(m, tools=shell)["choices"][0]["message"]["content"]
# without a tool the command is shown; what is not understood is said to be so
assert "notes.txt" in chat(m[:2])["choices"][0]["message"]["content"]
assert "did not understand" in chat([{"role": "user", "content": "hello, how are you?"}])["choices"][0]["message"]["content"]
# a stream: the same in pieces
status, text, kind = ask("/chat/completions", dict(messages=m[:2], tools=shell, stream=True, stream_options={"include_usage": True}))
events = [line[6:] for line in text.split("\n") if line.startswith("data: ")]
assert kind == "text/event-stream" and events[-1] == "[DONE]", (kind, text)
parts = [json.loads(e) for e in events[:-1]]
assert parts[0]["choices"][0]["delta"]["role"] == "assistant" and parts[-1]["usage"]["total_tokens"] > 0
calls = [p["choices"][0]["delta"]["tool_calls"] for p in parts if p["choices"] and "tool_calls" in p["choices"][0]["delta"]]
assert calls[0][0]["index"] == 0 and json.loads(calls[0][0]["function"]["arguments"]) == args
assert [p["choices"][0]["finish_reason"] for p in parts if p["choices"]][-1] == "tool_calls"
# what makes no sense
for body in (b"{", b"[]", b"", {"messages": []}, {"messages": "x"}, {"messages": [1]}, {"messages": [{"content": "x"}]},
             {"messages": m[:2], "temperature": 9}, {"messages": m[:2], "n": 2}, {"messages": m[:2], "max_tokens": -1}):
    status, text, _ = ask("/chat/completions", body)
    assert status == 400 and json.loads(text)["error"]["message"], (body, status, text)
assert ask("/nothing")[0] == 404 and ask("/chat/completions")[0] == 405 and ask("/models", {})[0] == 405
assert ask("/models", Origin="http://evil.example")[0] == 403
assert ask("/chat/completions", b"x" * (5 << 20))[0] == 413
assert ask("/chat/completions", {"messages": [{"role": "user", "content": "y" * 100000}]})[0] == 200
PY
timeout 60 python3 "$TMP/small.py" "$URL" 2>"$TMP/log" || { cat "$TMP/log" >&2; fail 'the small model'; }
# agentctl itself is a client
make_project "$TMP/p" && cd "$TMP/p" || exit 1
printf 'a\nb\nc\n' >notes.txt
agentctl task --no-keep --json --model "$URL" --name embedded 'count the lines of notes.txt' >"$TMP/out" 2>"$TMP/log" ||
	{ cat "$TMP/log" >&2; fail 'agentctl as a client'; }
eq 3 "$(event_of "$TMP/out" end text)"
kill -TERM "$SERVER"
wait "$SERVER" || fail 'the end of the server'

# a key
echo secret >"$TMP/key"
serve key --key-file "$TMP/key"
eq 401 "$(curl -s -o /dev/null -w '%{http_code}' "$URL/models")"
eq 401 "$(curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer secre' "$URL/models")"
eq 200 "$(curl -s -o /dev/null -w '%{http_code}' -H 'Authorization: Bearer secret' "$URL/models")"
kill "$SERVER"

# models of both generations by their chat's template
for g in third second; do
	serve $g --model "$TMP/$g" --threads 2
	cat >"$TMP/chat.py" <<'PY'
import json, sys, threading, urllib.request
url = sys.argv[1]

def chat(text, **more):
    body = dict(messages=[{"role": "system", "content": "be brief"}, {"role": "user", "content": text}], temperature=0, max_tokens=12, **more)
    with urllib.request.urlopen(urllib.request.Request(url + "/chat/completions", json.dumps(body).encode()), timeout=60) as r:
        return json.loads(r.read())

first = chat("how do you do?")
again = chat("how do you do?")
assert first["choices"][0]["message"] == again["choices"][0]["message"]
assert first["choices"][0]["finish_reason"] in ("length", "stop")
assert again["usage"]["prompt_tokens_details"]["cached_tokens"] >= again["usage"]["prompt_tokens"] - 1, again["usage"]
answers = {}
def one(i):
    answers[i] = chat(f"question {i % 3}")["choices"][0]["message"]["content"]
threads = [threading.Thread(target=one, args=(i,)) for i in range(12)]
[t.start() for t in threads]
[t.join() for t in threads]
assert all(answers[i] == answers[i % 3] for i in range(12)), answers
assert chat("x", stop=["\n"])["usage"]["total_tokens"] > 0
seeded = [chat("tell me", seed=s)["choices"][0]["message"]["content"] for s in (1, 1)]
assert seeded[0] == seeded[1]
try:
    chat("long " * 3000)
    raise SystemExit("more than the context was taken")
except urllib.error.HTTPError as e:
    assert e.code == 400 and "context" in e.read().decode()
PY
	timeout 60 python3 "$TMP/chat.py" "$URL" 2>"$TMP/log" || { cat "$TMP/log" >&2; fail "generation: $g"; }
	# an end while somebody is being answered
	curl -sN "$URL/chat/completions" -d '{"stream":true,"max_tokens":100000,"messages":[{"role":"user","content":"go on and on"}]}' >"$TMP/stream" &
	CLIENT=$!
	sleep 0.2
	kill -TERM "$SERVER"
	timeout 20 tail --pid="$SERVER" -f /dev/null || fail 'the server does not end'
	wait "$CLIENT"
done

# the same models drive a task in this process; theirs is noise, which is noticed and ended
for g in third second; do
	agentctl task --no-keep --max-reply 30 --model "$TMP/$g" 'do something' >"$TMP/out" 2>&1
	eq 1 $? "$(tail -n 3 "$TMP/out")"
	has 'provider: local' "$TMP/out"
	has 'every file is as before' "$TMP/out"
done

agentctl serve --listen "unix:$TMP/s" 2>"$TMP/unix.log" &
SERVER=$!
at_exit "kill $SERVER 2>/dev/null"
wait_for 10 grep -q serving "$TMP/unix.log"
eq 600 "$(stat -c %a "$TMP/s")"
eq 200 "$(curl -s -o /dev/null -w '%{http_code}' --unix-socket "$TMP/s" http://x/v1/models)"
kill "$SERVER"
wait "$SERVER"
[ ! -e "$TMP/s" ] || fail 'the socket is left'
status 125 agentctl serve --model "$TMP/nowhere" 2>/dev/null
status 125 agentctl serve --listen nowhere 2>/dev/null
status 2 agentctl serve x 2>/dev/null
