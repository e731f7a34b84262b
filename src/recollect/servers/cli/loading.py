"""Loading what the MCP server is made of in less time.

The rule: what is loaded is the same, and works the same; what it may use is made ready when it
is first needed.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel


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
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        if was_collecting:
            gc.freeze()
            gc.enable()
