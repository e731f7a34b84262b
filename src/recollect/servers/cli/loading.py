"""Loading what the MCP server is made of in less time.

The rule: what is loaded is the same, and works the same. Only what a server never uses is left
out, and what it may use is made ready when it is first needed.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec, module_from_spec

from pydantic import BaseModel

_PACKAGES = ("mcp", "mcp.server")
"""Packages of the protocol's library that load its clients too, for those who want both."""


@contextmanager
def in_haste() -> Iterator[None]:
    """Import modules meanwhile: their models are built when used, and nothing is collected.

    The protocol's library declares hundreds of models, of which a conversation uses some tens;
    and among modules, which stay, the collector finds nothing to free.
    """
    was_collecting = gc.isenabled()
    gc.disable()
    BaseModel.model_config["defer_build"] = True
    try:
        _load_server()
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        if was_collecting:
            gc.freeze()
            gc.enable()


def _load_server() -> None:
    """Load the server of the protocol's library without its clients.

    Its packages stand in bare meanwhile, so that only the modules below them are run. Where a
    module does ask them for something, all is loaded as ever, by whoever imports it next.
    """
    bare = [name for name in _PACKAGES if name not in sys.modules]
    try:
        for name in bare:
            spec = find_spec(name)
            assert spec is not None
            sys.modules[name] = module_from_spec(spec)
        with suppress(ImportError, AttributeError):
            import_module("mcp.server.lowlevel")
            import_module("mcp.server.stdio")
    finally:
        for name in bare:
            sys.modules.pop(name, None)
