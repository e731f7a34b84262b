"""What a server loads before its first answer: no client, and nothing that would differ later."""

from __future__ import annotations

import subprocess
import sys

LOADED = """
import gc, sys
from pydantic import BaseModel
from recollect.servers.cli.loading import in_haste

with in_haste():
    from recollect.servers.mcp.server import Server, build_server

assert not [name for name in sys.modules if name.startswith(("mcp.client", "httpx", "rdflib", "numpy"))]
assert gc.isenabled()
assert "defer_build" not in BaseModel.model_config

import mcp
from mcp.server import Server as of_the_library

assert mcp.Client
assert of_the_library is Server
"""


def test_a_server_loads_no_client_and_the_library_is_whole_afterwards():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LOADED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
