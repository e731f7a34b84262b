"""Changes of places against a naive model: a set of places, and what can be reached."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import example, given, strategies as st

import recollect
from recollect.errors import RecollectError
from recollect.faces.markup import Markup

Spot = tuple[str, str, str | None]  # child, space, parent
SPACES = ("a", "b")


@dataclass
class Naive:
    """All places of a group, and the rule of section 4.3 said plainly."""

    places: set[Spot] = field(default_factory=set)
    used: set[str] = field(default_factory=set)

    def apply(self, states: list[tuple[str, str, str | None, str]]) -> str | None:
        """Apply states of known nodes (child, space, parent, state); return a code if refused."""
        removed: set[Spot] = set()
        added: set[Spot] = set()
        living = {child for child, _, _ in self.places}
        for child, space, parent, state in states:
            for one in (child, parent):
                if (
                    one is not None
                    and one not in living
                    and not (one == child and state == "deleted")
                ):
                    return "KM_3001"
            here = (child, space, parent) in self.places
            inside = {one for one in self.places if one[:2] == (child, space)}
            if state == "created" and not here:
                added.add((child, space, parent))
            elif state == "updated" and not here:
                if len(inside) > 1:
                    return "KM_3011"
                removed |= inside
                added.add((child, space, parent))
            elif state == "deleted" and here:
                removed.add((child, space, parent))
        after = (self.places - removed) | added
        before_adding = self.places - (removed - added)
        for _, space, parent in added:
            standing = before_adding | added
            if parent is not None and not any(one[:2] == (parent, space) for one in standing):
                return "KM_3011"
        if any(self._is_cyclic(one, after) for one in added):
            return "KM_3006"
        self.places = self._reachable(after)
        return None

    def _is_cyclic(self, spot: Spot, places: set[Spot]) -> bool:
        child, space, parent = spot
        above, met = {parent}, set()
        while above - {None}:
            if child in above:
                return True
            met |= above
            above = {p for c, s, p in places if s == space and c in above} - met
        return False

    def _reachable(self, places: set[Spot]) -> set[Spot]:
        found: set[Spot] = set()
        while True:
            more = {
                (c, s, p)
                for c, s, p in places
                if p is None or any(one[:2] == (p, s) for one in found)
            }
            if more == found:
                return found
            found = more


START = "".join(
    f"- CONCEPTUAL SPACE\n  ID: {space}\n  Label: {space}\n"
    + "".join(
        f"{'  ' * (1 + depth)}- ID: n{number}\n{'  ' * (2 + depth)}Label: L{number}\n"
        for number, depth in shape
    )
    for space, shape in (
        ("a", ((1, 0), (2, 1), (3, 2), (4, 1), (5, 0))),
        ("b", ((6, 0), (7, 1), (2, 2), (3, 0))),
    )
).replace("n2\n        Label: L2\n  - ID: n3\n    Label: L3", "n2\n  - ID: n3")
PLACES: set[Spot] = {
    ("n1", "a", None),
    ("n2", "a", "n1"),
    ("n3", "a", "n2"),
    ("n4", "a", "n1"),
    ("n5", "a", None),
    ("n6", "b", None),
    ("n7", "b", "n6"),
    ("n2", "b", "n7"),
    ("n3", "b", None),
}
NODES = tuple(f"n{number}" for number in range(1, 8))
states = st.tuples(
    st.sampled_from(NODES),
    st.sampled_from(SPACES),
    st.one_of(st.none(), st.sampled_from(NODES)),
    st.sampled_from(["created", "updated", "deleted"]),
)


def text_of(changes: list[tuple[str, str, str | None, str]]) -> str:
    """Return a document that says the states, each below its parent in its space."""
    lines: list[str] = []
    for child, space, parent, state in changes:
        lines += ["- CONCEPTUAL SPACE", f"  ID: {space}"]
        pad = "  "
        if parent is not None:
            lines.append(f"{pad}- ID: {parent}")
            pad += "  "
        lines.append(f"{pad}- ID: {child} [{state}]")
    return "".join(f"{line}\n" for line in lines)


@example([[("n1", "a", None, "deleted")], [("n1", "a", None, "created")]])
@given(st.lists(st.lists(states, min_size=1, max_size=3), max_size=5))
def test_any_changes_leave_the_places_that_a_naive_set_has(
    steps: list[list[tuple[str, str, str | None, str]]],
) -> None:
    with recollect.open(":memory:") as nexus:
        markup, naive = Markup(nexus), Naive({*PLACES})
        markup.load(START)
        markup.load("- CONCEPTUAL SPACE\n  ID: a\n  - ID: n1\n")
        for changes in steps:
            expected = naive.apply(changes)
            try:
                markup.apply(text_of(changes))
                told = None
            except RecollectError as error:
                told = error.code.code
            if expected is None:
                assert told is None
            elif len(changes) == 1:
                assert told == expected
            else:  # of several faults the first in the text is told
                assert told is not None
            living = {child for child, _, _ in naive.places}
            found = {(id, one.space, one.parent) for id in living for one in markup.places(id)}
            assert found == naive.places
            gone = [id for id in NODES if id not in living]
            assert nexus.elements.look_up(gone) == {}
        assert nexus.doctor().is_well
