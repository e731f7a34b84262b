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

TYPE_CHECKING = False  # as `typing` has it, which takes longer to load than all that is here
if TYPE_CHECKING:
    from recollect.errors import RecollectError
    from recollect.faces.kinds import open_memory as open
    from recollect.faces.memory import Memory, memory_of as memory
    from recollect.kernel import Nexus, instant
    from recollect.model import AsOf, Concept, Found, Key, Limits, Link


__all__ = [
    "AsOf",
    "Concept",
    "Found",
    "Key",
    "Limits",
    "Link",
    "Memory",
    "Nexus",
    "RecollectError",
    "instant",
    "memory",
    "open",
]

_MODULES = {
    "Memory": "faces.memory",
    "Nexus": "kernel",
    "RecollectError": "errors",
    "instant": "kernel",
    "memory": "faces.memory",
    "open": "faces.kinds",
}
_CALLED = {"memory": "memory_of", "open": "open_memory"}


def __getattr__(name: str) -> object:
    if name in ("errors", "kernel", "model"):
        return import_module(f"recollect.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}", name=name)
    module = import_module(f"recollect.{_MODULES.get(name, 'model')}")
    found = getattr(module, _CALLED.get(name, name))
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
