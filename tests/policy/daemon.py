"""A policyd of a test's own, and short ways to ask it. Import from a script below tests/policy."""
import json
import os
import signal
import socket
import subprocess
import time

BASE = {"v": 1, "id": 1, "op": "check", "cwd": "/w", "workspace": "/w", "home": "/h"}


class Daemon:
    def __init__(self, program, folder, *args, env=None):
        self.path = os.path.join(folder, "run", "policyd.sock")
        self.state = os.path.join(folder, "state")
        self.err = os.path.join(folder, "err")
        env = dict(os.environ, TXFS_STATE_DIR=self.state, **(env or {}))
        with open(self.err, "ab") as err:
            self.proc = subprocess.Popen([program, "--socket", self.path, *args], env=env, stderr=err)
        for _ in range(500):
            if self.proc.poll() is not None:
                raise SystemExit("policyd ended: " + self.talk())
            try:
                self.connect().close()
                break
            except OSError:
                time.sleep(0.01)
        else:
            raise SystemExit("policyd does not answer")

    def talk(self):
        with open(self.err, encoding="utf-8") as f:
            return f.read()

    def connect(self):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(20)
        s.connect(self.path)
        return s

    def raw(self, data, s=None):
        """The answer to one line of bytes; decision "closed" where there is none."""
        s = s or self.connect()
        try:
            s.sendall(data + b"\n")
        except OSError:
            pass
        got = b""
        try:
            while not got.endswith(b"\n"):
                more = s.recv(65536)
                if not more:
                    break
                got += more
        except OSError:
            pass
        return json.loads(got) if got.endswith(b"\n") else {"decision": "closed"}

    def ask(self, s=None, **more):
        return self.raw(json.dumps(dict(BASE, **more)).encode(), s)

    def check(self, command, **more):
        return self.ask(command=command, **more)["decision"]

    def peak_kib(self):
        with open("/proc/%d/status" % self.proc.pid, encoding="utf-8") as f:
            return int(next(line for line in f if line.startswith("VmHWM")).split()[1])

    def stop(self):
        self.proc.terminate()
        status = self.proc.wait(10)
        assert status == 0, "policyd ended with %d: %s" % (status, self.talk())

    def kill(self):
        self.proc.send_signal(signal.SIGKILL)
        self.proc.wait(10)
