"""How a command loads what it serves with: only if it is installed, and in haste.

The rule: the same modules are there and work the same; parts that may turn out not to be needed
are made ready when first used.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from types import ModuleType

from pydantic import BaseModel

from recollect.errors import install, refused


def require(package: str, extra: str, what: str) -> None:
    """Raise INVALID_ARGUMENT where a package of an extra is not installed."""
    if find_spec(package) is None:
        raise refused(f"{what} needs the package {package}, which is not installed", install(extra))


@contextmanager
def in_haste(*packages: str) -> Iterator[None]:
    """Import modules inside the block without building their models or collecting cycles.

    The protocol's library declares hundreds of models, and a conversation uses a few dozen of them,
    so each is built when it is first used. Modules stay, so the collector would find nothing to
    free. Of `packages` only the modules that are named are loaded; all that a package itself
    gathers, once something else is asked of it.
    """
    for name in packages:
        _begin(name)
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


class _Begun(ModuleType):
    """A package whose own text has not run; the first name that it lacks runs it."""

    def __getattr__(self, name: str) -> object:
        self.__class__ = ModuleType  # type: ignore[assignment]
        assert self.__spec__ is not None
        assert self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def _begin(package: str) -> None:
    spec = find_spec(package)
    if package not in sys.modules and spec is not None:
        begun = module_from_spec(spec)
        begun.__class__ = _Begun
        sys.modules[package] = begun
        within, _, name = package.rpartition(".")
        if within:
            setattr(sys.modules[within], name, begun)
