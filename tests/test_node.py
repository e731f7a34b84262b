"""What `recollect.node` declares is what the standard library declares, but for the time it takes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from recollect import node

_OWN_WAY = {  # they need more of the standard library's
    "integrations/exchange/rdf_terms.py",
    "node.py",
}


def _declared(declare: Callable[..., Callable[[type], type]]) -> dict[str, type]:
    @declare(frozen=True, slots=True)
    class Base:
        put: int
        self_: str = "x"
        members: dict[str, int] = dataclasses.field(default_factory=dict, hash=False)
        span: int = dataclasses.field(default=3, kw_only=True, compare=False, repr=False)
        fixed: int = dataclasses.field(default=9, init=False)
        made: list[int] = dataclasses.field(default_factory=list, init=False, hash=False)
        length: int = dataclasses.field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "length", len(self.self_))

    @declare(frozen=True, slots=True)
    class Derived(Base):
        more: tuple[int, ...] = ()

        def __repr__(self) -> str:
            return f"more {self.more}"

    @declare(slots=True)
    class Changing:
        number: int
        text: str = ""

    @declare(frozen=True, slots=True, eq=False)
    class Same:
        number: int = 0

    @declare(frozen=True, slots=True)
    class Equal:  # noqa: PLW1641 - its hash is what this is about
        number: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal)

    @declare(frozen=True, slots=True)
    class Empty:
        pass

    @declare(eq=False)
    class Fault(Exception):
        code: str = ""

    kinds = (Base, Derived, Changing, Same, Equal, Empty, Fault)
    for kind in kinds:
        kind.__qualname__ = kind.__name__
    return {kind.__name__: kind for kind in kinds}


def _outcome(work: Callable[[], object]) -> str:
    try:
        return repr(work())
    except (TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


USES: dict[str, Callable[[dict[str, type]], object]] = {
    "shown": lambda of: [of["Base"](1), of["Derived"](1, more=(2,)), of["Changing"](1)],
    "equal": lambda of: [of["Base"](1) == of["Base"](1, span=8), of["Base"](1) == of["Derived"](1)],
    "unequal": lambda of: [of["Base"](1) != of["Base"](2), of["Same"]() == of["Same"]()],
    "equal in its own way": lambda of: of["Equal"](1) == of["Equal"](2),
    "hashed": lambda of: [hash(of[one](1)) for one in ("Base", "Derived", "Equal")],
    "hashed as itself": lambda of: len({of["Same"](), of["Same"]()}),
    "hashed, and it changes": lambda of: hash(of["Changing"](1)),
    "empty": lambda of: [of["Empty"](), of["Empty"]() == of["Empty"](), hash(of["Empty"]())],
    "changed": lambda of: setattr(of["Base"](1), "put", 2),
    "deleted": lambda of: setattr(of["Derived"](1), "more", 2),
    "not frozen": lambda of: setattr(of["Changing"](1), "number", 2),
    "without its first": lambda of: of["Base"](),
    "with too many": lambda of: of["Base"](1, "", {}, 3),
    "with what it has not": lambda of: of["Base"](1, size=1),
    "with what is fixed": lambda of: of["Base"](1, fixed=1),
    "matched by places": lambda of: [one.__match_args__ for one in of.values() if one is not of["Fault"]],
    "described": lambda of: [list(inspect.signature(one).parameters) for one in of.values()],
    "annotated": lambda of: inspect.get_annotations(of["Base"].__init__).get("put"),
    "replaced": lambda of: dataclasses.replace(of["Derived"](1, "ab", span=4), put=2).length,
    "as a dict": lambda of: dataclasses.asdict(of["Derived"](1)),
    "copied": lambda of: [copy.copy(of["Base"](1)), copy.deepcopy(of["Derived"](1, more=(3,)))],
    "apart": lambda of: of["Base"](1).members is of["Base"](1).members,
    "raised": lambda of: [of["Fault"]("x").code, isinstance(of["Fault"](), Exception)],
    "slotted": lambda of: [one.__slots__ for one in of.values() if "__slots__" in vars(one)],
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_a_class_works_as_one_of_the_standard_library(use):
    ours, standard = (
        _outcome(partial(USES[use], _declared(declare)))
        for declare in (node.dataclass, dataclasses.dataclass)
    )
    assert ours == standard


def test_what_is_frozen_can_be_pickled(monkeypatch):
    for name, kind in _declared(node.dataclass).items():
        monkeypatch.setattr(sys.modules[__name__], name, kind, raising=False)
        one = kind(1) if name not in ("Empty", "Fault") else kind()
        assert repr(pickle.loads(pickle.dumps(one))) == repr(one)


def test_a_node_is_compared_and_hashed_and_costs_no_freezing():
    @node.node(frozen=True, slots=True)
    class Leaf:
        text: str

    assert Leaf("a") == Leaf("a")
    assert len({Leaf("a"), Leaf("a"), Leaf("b")}) == 2
    assert Leaf.__setattr__ is object.__setattr__


def test_nearly_every_module_declares_its_classes_so():
    house = Path(node.__file__).parent
    others = {
        str(one.relative_to(house))
        for one in house.rglob("*.py")
        if any(
            "dataclasses import" in line
            and "dataclass" in line.split("import")[1].replace(",", " ").split()
            for line in one.read_text().splitlines()
        )
    }
    assert others >= _OWN_WAY
    assert len(others) < 20
