"""Processes that start at one moment, each a fresh interpreter with the product on its path."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import recollect

ENVIRONMENT = {"PYTHONPATH": str(Path(recollect.__file__).parents[1])}


def run_together(program: str, arguments: Iterable[Sequence[str]]) -> list[int]:
    """Start a process for each list of arguments, let all go at once; return how each ended.

    The program says `ready` on a line of its own, and waits for a line before it begins.
    """
    children = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", program, *each],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        for each in arguments
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=60)
    return [child.returncode for child in children]
