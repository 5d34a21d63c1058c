"""Run heat_server.py as a child process, with a client of its REST API."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))


class ServerFailed(Exception):
    """The server did not start."""


class Loopback:
    """A Heat on a free port of 127.0.0.1, which stops with the `with` block.

    It also stops if this process dies for any reason: the server reads a pipe
    from this process, and stops at its end.
    """

    def __init__(self, options=()):
        self.options = list(options)
        self.base = None
        self._trace = None
        self._server = None

    def __enter__(self):
        self._trace = tempfile.NamedTemporaryFile(
            "r", prefix="heat-trace-", suffix=".jsonl", encoding="utf-8")
        # In its own session: we handle Ctrl-C, and stop the server.
        self._server = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "heat_server.py"),
             "--port", "0", "--until-eof", "--trace", self._trace.name,
             *self.options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            start_new_session=True, text=True)
        try:
            for line in self._server.stdout:
                word, _, port = line.strip().partition(" ")
                if word == "ready":
                    self.base = "http://127.0.0.1:%s/v1/demo" % port
                    return self
            raise ServerFailed("heat_server.py ended before it was ready")
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_exc):
        server = self._server
        server.stdin.close()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        server.stdout.close()
        self._trace.close()

    def call(self, method, path, body=None):
        """Send a request. Return (status, parsed answer or error text)."""
        req = urllib.request.Request(
            self.base + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json",
                     "Accept": "application/json"})
        try:
            with urllib.request.urlopen(req, timeout=600) as f:
                text = f.read()
                return f.status, json.loads(text) if text else None
        except urllib.error.HTTPError as e:
            return e.code, e.read().decode()

    def wait(self, name, seconds=60, poll=0.1):
        """Wait until nothing is in progress, or time is up. Return the stack,
        or None if there is no such stack."""
        end = time.monotonic() + seconds
        while True:
            status, body = self.call("GET", "/stacks/" + name)
            if status == 404:
                return None
            if status != 200:
                raise ServerFailed("GET stack: %s %s" % (status, body))
            done = not body["stack"]["stack_status"].endswith("IN_PROGRESS")
            if done or time.monotonic() > end:
                return body["stack"]
            time.sleep(poll)

    def trace(self):
        """Return the calls to the simulated cloud since the last time."""
        return [json.loads(line) for line in self._trace]


def stop_on_sigterm():
    """Turn SIGTERM into an exit that runs `finally` and `with` blocks."""
    signal.signal(signal.SIGTERM, lambda *_a: sys.exit(128 + signal.SIGTERM))
