"""Servers that the suites start, one a process, and stop at its end."""

from __future__ import annotations

import atexit
import socket
import subprocess
import tempfile
from functools import cache


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@cache
def redis_port() -> int:
    """Return the port of a Redis server that keeps nothing on the disk."""
    port = free_port()
    folder = tempfile.TemporaryDirectory()
    server = subprocess.Popen(
        [
            "redis-server",
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            folder.name,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(folder.cleanup)
    atexit.register(server.wait)
    atexit.register(server.kill)
    for line in server.stdout:
        if "Ready to accept connections" in line:
            return port
    raise AssertionError("redis-server did not start")
