"""The command line: one memory, asked and taught from a terminal."""

from __future__ import annotations

from recollect.servers.cli.app import app, main

__all__ = ["app", "main"]
