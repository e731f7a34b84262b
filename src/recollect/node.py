"""How values and the nodes of trees are declared: dataclasses, made in a fraction of the time.

The rule: what is declared is what the standard `dataclass` makes. That one compiles some six texts
a class, a third of every start; here classes of one form share what is compiled, and only the
names in it differ. A value that is frozen refuses to be changed; of a node only the type checker
does, since freezing makes it four times as long to make one, and a query makes many hundreds of
nodes on its way from text to SQL, a load as many changes as it has elements.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass as standard, field, fields, replace
from functools import cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "node", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, dataclass as node
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, eq: bool = True) -> object:
        """Declare a class as the standard `dataclass` does."""
        return lambda given: _declared(
            given, slots=slots, eq=eq, is_frozen=frozen, is_hashed=eq and frozen
        )

    def node(*, frozen: bool, slots: bool, eq: bool = True) -> object:
        """Declare a class that is frozen for the type checker alone."""
        assert frozen
        return lambda given: _declared(given, slots=slots, eq=eq, is_frozen=False, is_hashed=eq)


def _declared(given: type, *, slots: bool, eq: bool, is_frozen: bool, is_hashed: bool) -> type:
    kind: Any = standard(init=False, repr=False, eq=False, slots=slots)(given)
    made: dict[str, object] = {"__init__": _init(kind, is_frozen), "__repr__": _repr}
    if eq:
        compared = [one.name for one in fields(kind) if one.compare]
        same = f"{_tuple('self', compared)} == {_tuple('other', compared)}"
        body = f" if other.__class__ is self.__class__:\n  return {same}\n return NotImplemented"
        made |= {"__eq__": _method(f"__eq__(self, other):\n{body}", compared), "__hash__": None}
    if is_hashed:
        hashed = [
            one.name for one in fields(kind) if (one.compare if one.hash is None else one.hash)
        ]
        made["__hash__"] = _method(
            f"__hash__(self):\n return hash({_tuple('self', hashed)})", hashed
        )
    if is_frozen:
        made |= {"__setattr__": _refuse, "__delattr__": _refuse, "__setstate__": _restore}
    own = dict(vars(kind))
    for name, method in made.items():
        if own.get(name) is None:
            setattr(kind, name, method)
    return kind  # type: ignore[no-any-return]


def _init(kind: type, is_frozen: bool) -> FunctionType:
    """Return what makes one of its fields: in their order, then those by keyword alone."""
    every = fields(kind)
    taken = [(f"_{at}", one) for at, one in enumerate(every) if one.init]
    known: dict[str, object] = {"put": object.__setattr__, "ABSENT": MISSING}
    body = []
    for at, one in enumerate(every):
        given = f"_{at}"
        if one.default_factory is not MISSING:
            known[f"make{at}"] = one.default_factory
            given = f"make{at}()" + (f" if {given} is ABSENT else {given}" if one.init else "")
        elif not one.init:
            known[f"given{at}"], given = one.default, f"given{at}"
        if one.init or one.default is not one.default_factory:  # else both are MISSING
            body.append(f"put(self, '_{at}', {given})" if is_frozen else f"self._{at} = {given}")
    body.append("self.__post_init__()" if hasattr(kind, "__post_init__") else "pass")
    keywords = [name for name, one in taken if one.kw_only]
    places = ["self", *(name for name, one in taken if not one.kw_only), *["*"][: len(keywords)]]
    text = f"__init__({', '.join(places + keywords)}):\n " + "\n ".join(body)
    init = _method(text, [one.name for one in every], known)
    given_by = [one for _, one in taken if one.default is not one.default_factory]
    init.__defaults__ = tuple(one.default for one in given_by if not one.kw_only)
    init.__kwdefaults__ = {one.name: one.default for one in given_by if one.kw_only}
    init.__annotations__ = {one.name: one.type for _, one in taken}
    init.__qualname__ = f"{kind.__qualname__}.__init__"
    return init


def _tuple(owner: str, names: list[str]) -> str:
    return "(" + "".join(f"{owner}._{at}, " for at, _ in enumerate(names)) + ")"


def _method(text: str, names: list[str], known: dict[str, object] | None = None) -> FunctionType:
    """Return a function; what a text calls _0, _1, ... are the names of fields."""
    called = {f"_{at}": name for at, name in enumerate(names)}
    code = _compiled(text)
    code = code.replace(
        co_names=tuple(called.get(one, one) for one in code.co_names),
        co_varnames=tuple(called.get(one, one) for one in code.co_varnames),
        co_consts=tuple(called.get(one, one) for one in code.co_consts),
    )
    return FunctionType(code, {} if known is None else known)


@cache
def _compiled(text: str) -> CodeType:
    parts = compile(f"def {text}", "<declared>", "exec").co_consts
    return next(one for one in parts if isinstance(one, CodeType))


def _repr(self: Any) -> str:  # noqa: ANN401
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(_: object, name: str, *__: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _restore(self: object, state: tuple[object, dict[str, object]]) -> None:
    """Take up what was copied or pickled."""
    for name, one in state[1].items():
        object.__setattr__(self, name, one)
