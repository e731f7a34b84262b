"""What loading the server in haste leaves behind: nothing but what was loaded."""

from __future__ import annotations

import subprocess
import sys

LOADED = """
import gc, sys
from pydantic import BaseModel
from recollect.servers.cli.loading import in_haste

with in_haste("mcp", "mcp.server"):
    assert not gc.isenabled()
    from recollect.servers.mcp.server import build_server

assert gc.isenabled()
assert "defer_build" not in BaseModel.model_config
unused = ("rdflib", "numpy", "httpx2", "mcp.client", "mcp.server.mcpserver")
assert not [name for name in sys.modules if name.startswith(unused)]

import mcp.server.lowlevel
from mcp_types import Tool

assert mcp.server.lowlevel.Server is mcp.server.Server
assert mcp.server.MCPServer.__module__ == "mcp.server.mcpserver.server"
assert mcp.Client.__module__ == "mcp.client.client"
assert Tool.model_validate({"name": "a", "inputSchema": {"type": "object"}}).name == "a"

gc.disable()
try:
    with in_haste():
        raise LookupError
except LookupError:
    assert not gc.isenabled()
    assert "defer_build" not in BaseModel.model_config
"""


def test_what_is_loaded_in_haste_works_as_ever_and_nothing_stays_switched():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LOADED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
