#!/usr/bin/env python3
"""A chat completion server that says what a script tells it to, and misbehaves on request.

    modelserver.py SCRIPT OUT [--unix PATH | --tls CERT KEY]

SCRIPT has one JSON object a line, one for each request in turn; when it is over, requests
get status 418. OUT/port tells where on 127.0.0.1 it listens, OUT/requests gets a line for
each request: path, headers, body.

Keys of an answer: `say` text, `think` reasoning, `run` a command or a list of them,
`finish` last words, `rollback` a step; `as` one of
    openai      (default) as the protocol says, with a stream where one is asked for
    minimind3   streams unless told not to; chunks of choices only, no [DONE]; calls come as
                text first, then whole and without index
    minimind2   knows no tools: all is text; no usage; finish_reason always stop
    text        calls as text in an otherwise conformant answer
    whole       one object, whatever was asked; events: a stream, whatever was asked
`piece` bytes a write, `pause` seconds between writes, `type` another content type, `object`
true: arguments as an object, `no_index`, `no_id`, `no_done`, `no_end` (no finish_reason
either), `stay` (the connection stays open), `old` (HTTP/1.0), `reason` another finish_reason, `usage` [in, out].

Instead of an answer: `status` with `headers` and `body` (an object or a string); `raw` bytes
as they are, with `type`; `do`: hang, reset, hang_mid, reset_mid, close_mid, lie (shorter than its
Content-Length), huge, headers (without end), redirect. `delay` seconds come before anything.
"""

import argparse
import http.server
import json
import os
import socket
import socketserver
import ssl
import struct
import sys
import threading
import time


def calls_of(step):
    """The calls of an answer as (name, arguments)."""
    run = step.get("run", [])
    calls = [("run", {"command": c}) for c in ([run] if isinstance(run, str) else run)]
    if "rollback" in step:
        calls.append(("rollback", {"step": step["rollback"]}))
    if "finish" in step:
        calls.append(("finish", {"message": step["finish"]}))
    return calls


def as_text(calls):
    return "".join(
        "\n<tool_call>\n" + json.dumps({"name": n, "arguments": a}) + "\n</tool_call>" for n, a in calls
    )


def tool_calls(step, indexed):
    out = []
    for i, (name, args) in enumerate(calls_of(step)):
        call = {"type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        if step.get("object"):
            call["function"]["arguments"] = args
        if not step.get("no_id"):
            call["id"] = f"call_{os.urandom(4).hex()}"
        if indexed and not step.get("no_index"):
            call["index"] = i
        out.append(call)
    return out


def cut(text, n):
    return [text[i : i + n] for i in range(0, len(text), n)] if text else []


def reason_of(step, calls):
    return step.get("reason", "tool_calls" if calls else "stop")


def whole(step):
    kind = step.get("as", "openai")
    text, calls = step.get("say"), tool_calls(step, False)
    if kind in ("minimind2", "text"):
        text, calls = (text or "") + as_text(calls_of(step)), []
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = calls
    if step.get("think"):
        if kind == "minimind2":
            message["content"] = f"<think>\n{step['think']}\n</think>\n\n" + (message["content"] or "")
        else:
            message["reasoning_content"] = step["think"]
    choice = {"index": 0, "message": message, "finish_reason": reason_of(step, calls)}
    out = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    if kind == "minimind2":
        choice["finish_reason"] = "stop"
    elif kind != "minimind3":
        used = step.get("usage", [100, 10])
        out["usage"] = {"prompt_tokens": used[0], "completion_tokens": used[1], "total_tokens": sum(used)}
    return out


def deltas_openai(step, request):
    yield {"role": "assistant", "content": ""}
    for piece in cut(step.get("think", ""), 7):
        yield {"reasoning_content": piece}
    text = step.get("say", "") + (as_text(calls_of(step)) if step.get("as") == "text" else "")
    for piece in cut(text, 5):
        yield {"content": piece}
    if step.get("as") == "text":
        return
    for call in tool_calls(step, True):
        args = call["function"]["arguments"]
        if isinstance(args, dict):
            yield {"tool_calls": [call]}
            continue
        first = dict(call, function=dict(call["function"], arguments=""))
        yield {"tool_calls": [first]}
        for piece in cut(args, 6):
            more = {"function": {"arguments": piece}}
            if "index" in call:
                more["index"] = call["index"]
            yield {"tool_calls": [more]}


def deltas_minimind(step, request):
    if step.get("think") and step["as"] == "minimind3":
        for piece in cut(step["think"], 7):
            yield {"reasoning_content": piece}
    text = step.get("say", "") + as_text(calls_of(step))
    if step.get("think") and step["as"] == "minimind2":
        text = f"<think>\n{step['think']}\n</think>\n\n" + text
    for piece in cut(text, 4):
        yield {"content": piece}
    if step["as"] == "minimind3" and calls_of(step):
        yield {"tool_calls": tool_calls(step, False)}


def events(step, request):
    """The objects of a stream."""
    mini = step.get("as", "").startswith("minimind")
    head = {} if mini else {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for delta in (deltas_minimind if mini else deltas_openai)(step, request):
        choice = {"delta": delta}
        if not mini:
            choice.update(index=0, finish_reason=None)
        yield dict(head, choices=[choice])
    if not step.get("no_end"):
        reason = "stop" if step.get("as") == "minimind2" else reason_of(step, calls_of(step))
        yield dict(head, choices=[dict({"delta": {}, "finish_reason": reason}, **({} if mini else {"index": 0}))])
    if not mini and (request.get("stream_options") or {}).get("include_usage"):
        used = step.get("usage", [100, 10])
        yield dict(head, choices=[], usage={"prompt_tokens": used[0], "completion_tokens": used[1]})


def event_bytes(step, request):
    out = b"".join(b"data: " + json.dumps(e).encode() + b"\n\n" for e in events(step, request))
    if not step.get("as", "").startswith("minimind") and not step.get("no_done"):
        out += b"data: [DONE]\n\n"
    return out


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def address_string(self):
        return "client"

    def reset(self):
        sock = self.connection
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        sock.close()
        self.close_connection = True

    def send_head(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def send_pieces(self, step, data, most=None):
        """As chunks; `most` bytes only, and without the end."""
        size = step.get("piece", 65536)
        for i in range(0, len(data), size):
            piece = data[i : i + size]
            if most is not None and i + size > most:
                return
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            time.sleep(step.get("pause", 0))
        if most is None and not step.get("stay"):
            self.wfile.write(b"0\r\n\r\n")
        elif step.get("stay"):
            self.hang()

    def hang(self):
        """Until the other side goes, or for long."""
        self.connection.settimeout(60)
        try:
            while self.connection.recv(4096):
                pass
        except OSError:
            pass
        self.close_connection = True

    def send_whole(self, status, headers, body):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        head = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        self.send_head(status, dict(head, **headers))
        self.wfile.write(data)

    def send_stream(self, step, data, most=None):
        if step.get("old"):  # HTTP/1.0: the end of the connection is the end
            self.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + data)
            self.close_connection = True
            return
        self.send_head(
            200, {"Content-Type": step.get("type", "text/event-stream"), "Transfer-Encoding": "chunked"}
        )
        self.send_pieces(step, data, most)

    def answer(self, step, request):
        kind = step.get("as", "openai")
        stream = request.get("stream", kind == "minimind3")
        if kind == "whole" or (not stream and kind != "events"):
            data = json.dumps(whole(step)).encode()
            self.send_head(200, {"Content-Type": step.get("type", "application/json"), "Content-Length": str(len(data))})
            for piece in cut(data, step.get("piece", len(data))):
                self.wfile.write(piece)
            return
        self.send_stream(step, event_bytes(step, request))

    def misbehave(self, step, request):
        what = step["do"]
        data = event_bytes(dict({"say": "a few words " * 20}, **step), request)
        if what == "hang":
            self.hang()
        elif what == "reset":
            self.reset()
        elif what == "hang_mid":
            self.send_stream(dict(step, piece=100), data, len(data) // 2)
            self.hang()
        elif what == "reset_mid":
            self.send_stream(dict(step, piece=100), data, len(data) // 2)
            time.sleep(0.2)
            self.reset()
        elif what == "close_mid":
            self.send_stream(dict(step, piece=100), data, len(data) // 2)
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif what == "lie":
            self.send_head(200, {"Content-Type": "application/json", "Content-Length": "100000"})
            self.wfile.write(b'{"choices":[{"message":{"content":"half')
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif what == "huge":
            self.huge()
        elif what == "headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while True:
                self.wfile.write(b"X-More: " + b"x" * 8000 + b"\r\n")
        elif what == "redirect":
            self.send_whole(307, {"Location": "http://127.0.0.1:1/elsewhere"}, "")

    def huge(self):
        self.send_head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        piece = b"data: " + json.dumps({"choices": [{"delta": {"content": "x" * 60000}}]}).encode() + b"\n\n"
        while True:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            request = json.loads(data)
        except ValueError:
            request = {"unreadable": data.decode("latin1")}
        step = self.server.next_step(self.path, dict(self.headers), request)
        time.sleep(step.get("delay", 0))
        try:
            if "status" in step:
                self.send_whole(step["status"], step.get("headers", {}), step.get("body", ""))
            elif "raw" in step:
                self.send_stream(step, step["raw"].encode())
            elif "do" in step:
                self.misbehave(step, request)
            else:
                self.answer(step, request)
        except OSError:
            self.close_connection = True


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    block_on_close = False

    def start(self, script, out):
        with open(script, encoding="utf-8") as f:
            self.steps = [json.loads(line) for line in f if line.strip()]
        self.lock = threading.Lock()
        self.log = open(os.path.join(out, "requests"), "a", encoding="utf-8")

    def next_step(self, path, headers, body):
        with self.lock:
            self.log.write(json.dumps({"time": time.time(), "path": path, "headers": headers, "body": body}) + "\n")
            self.log.flush()
            return self.steps.pop(0) if self.steps else {"status": 418, "body": "the script is over"}

    def handle_error(self, request, client_address):
        pass


class UnixHandler(Handler):
    disable_nagle_algorithm = False


class UnixServer(Server):
    address_family = socket.AF_UNIX

    def server_bind(self):
        self.socket.bind(self.server_address)

    def get_request(self):
        return self.socket.accept()[0], ("unix", 0)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("script")
    p.add_argument("out")
    p.add_argument("--unix")
    p.add_argument("--tls", nargs=2)
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    server = UnixServer(a.unix, UnixHandler) if a.unix else Server(("127.0.0.1", 0), Handler)
    server.start(a.script, a.out)
    if a.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*a.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    port = os.path.join(a.out, "port")
    with open(port + ".new", "w", encoding="ascii") as f:
        f.write(str(server.server_address[1]) if not a.unix else a.unix)
    os.rename(port + ".new", port)
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
