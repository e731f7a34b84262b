"""How a command loads what it serves with: only if it is installed, and in haste.

The rule: the same modules are loaded and work the same; parts that may turn out not to be needed
are made ready when first used.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from pydantic import BaseModel

from recollect.errors import INVALID_ARGUMENT, RecollectError, install


def require(package: str, extra: str, what: str) -> None:
    """Raise INVALID_ARGUMENT where a package of an extra is not installed."""
    if find_spec(package) is None:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{what} needs the package {package}, which is not installed",
            hint=install(extra),
        )


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
