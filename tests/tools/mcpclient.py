"""A client of `agentctl mcp` for tests: one request, one answer, errors are assertions.

    with Mcp(["agentctl", "mcp"], cwd) as m:
        m.call("run", command="ls")["text"]
"""

import json
import subprocess


class Mcp:
    def __init__(self, argv, cwd):
        self.p = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.n = 0
        self.others = []  # answers that somebody else waits for
        self.info = self.ask("initialize", protocolVersion="2025-06-18", capabilities={},
                             clientInfo={"name": "test", "version": "1"})
        self.tell("notifications/initialized")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def write(self, text):
        self.p.stdin.write(text.encode() + b"\n")
        self.p.stdin.flush()

    def tell(self, method, **params):
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def send(self, method, /, **params):
        self.n += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}))
        return self.n

    def read(self):
        line = self.p.stdout.readline()
        assert line, "the server went away"
        return json.loads(line)

    def wait(self, number):
        for a in self.others:
            if a["id"] == number:
                self.others.remove(a)
                return a
        while True:
            a = self.read()
            if a["id"] == number:
                return a
            self.others.append(a)

    def ask(self, method, **params):
        a = self.wait(self.send(method, **params))
        return a["result"] if "result" in a else a["error"]

    def tools(self):
        return [t["name"] for t in self.ask("tools/list")["tools"]]

    def result(self, answer):
        r = answer["result"]
        return dict(text=r["content"][0]["text"], failed=r["isError"], **r.get("structuredContent", {}))

    def call(self, name, /, **arguments):
        a = self.wait(self.send("tools/call", name=name, arguments=arguments))
        return self.result(a) if "result" in a else a["error"]

    def end(self):
        if self.p.stdin:
            self.p.stdin.close()
        self.p.stdout.read()
        return self.p.wait()
