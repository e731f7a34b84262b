"""Loads the modules of the MCP server in less time.

The rule: the same modules are loaded and work the same; parts that may turn out not to be needed
are made ready when first used.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel


@contextmanager
def in_haste() -> Iterator[None]:
    """Import modules inside the block without building their models or collecting cycles.

    The protocol's library declares hundreds of models, and a conversation uses a few dozen of them,
    so each is built when it is first used. Modules stay, so the collector would find nothing to
    free.
    """
    was_collecting = gc.isenabled()
    gc.disable()
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        if was_collecting:
            gc.freeze()
            gc.enable()
