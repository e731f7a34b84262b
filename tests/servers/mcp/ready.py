"""A process that has loaded the server and waits: every server of a test is a fork of it.

The rule: what a test talks to is a process of its own, with the arguments, the folder, the
environment and the streams of the command that asked for it; only loading is done once.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys

from recollect.servers.cli import main
from recollect.servers.cli.commands import mcp as _command
from recollect.servers.cli.mcp import serve_agents
from recollect.servers.learning import make_learner
from recollect.servers.mcp.server import serve_stdio
from recollect.servers.service import make_service

LOADED = (_command, serve_agents, make_learner, serve_stdio, make_service)

ASK = """
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as waiting:
    waiting.connect(sys.argv[1])
    asked = {"words": sys.argv[2:], "folder": os.getcwd(), "environment": {**os.environ}}
    socket.send_fds(waiting, [json.dumps(asked).encode()], [0, 1, 2])
    os.close(0)
    os.close(1)
    sys.exit(int(waiting.recv(16) or 1))
"""
"""The command that asks for a server; it ends with it, and as it."""


def wait(place: str) -> None:
    """Fork a server for whoever asks, until this process is ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.bind(place)
        waiting.listen()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            asking, _ = waiting.accept()
            with asking:
                if os.fork() == 0:
                    waiting.close()
                    _serve(asking)


def _serve(asking: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    told, streams, _, _ = socket.recv_fds(asking, 2**18, 3)
    asked = json.loads(told)
    for at, stream in enumerate(streams):
        os.dup2(stream, at)
        os.close(stream)
    os.chdir(asked["folder"])
    os.environ.clear()  # noqa: TID251
    os.environ.update(asked["environment"])  # noqa: TID251
    sys.argv = ["recollect", *asked["words"]]
    code: object = 1
    try:
        main()
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        sys.stdout.flush()
        asking.sendall(str(code).encode())
        os._exit(int(str(code)))


if __name__ == "__main__":
    wait(sys.argv[1])
