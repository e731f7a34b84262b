"""Recollect: one durable, auditable knowledge graph for agents, and the ways to speak to it.

The rule: importing it costs nearly nothing; each name is loaded when it is first used, so help
and completion never load the kernel.

>>> import recollect
>>> with recollect.open(":memory:") as nexus:
...     answer = nexus.write('UPSERT { CONCEPT @d { {type: "Drug", name: "Aspirin"} } }')
...     nexus.read('FIND(COUNT(?d) AS ?n) WHERE { ?d {type: "Drug"} }').results[0].rows
[(1,)]
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.errors import RecollectError
    from recollect.faces.kinds import open_memory as open
    from recollect.kernel import Nexus, instant
    from recollect.model import AsOf, Concept, Found, Key, Limits, Link


__all__ = [
    "AsOf",
    "Concept",
    "Found",
    "Key",
    "Limits",
    "Link",
    "Nexus",
    "RecollectError",
    "instant",
    "open",
]

_MODULES = {
    "Nexus": "kernel",
    "instant": "kernel",
    "open": "faces.kinds",
    "RecollectError": "errors",
}


def __getattr__(name: str) -> object:
    if name in ("errors", "kernel", "model"):
        return import_module(f"recollect.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}", name=name)
    module = import_module(f"recollect.{_MODULES.get(name, 'model')}")
    found = getattr(module, "open_memory" if name == "open" else name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
