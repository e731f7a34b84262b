"""The few words that random graphs and queries share, so that queries find something."""

from __future__ import annotations

from hypothesis import strategies as st

from recollect.kernel.lang import ast, literal
from recollect.model import Value

TYPES = ("T", "U")
NAMES = ("a", "b", "1")  # reused across types: a name alone may match several concepts
PREDICATES = ("p", "p", "q")
KEYS = ("k", "m")
LINKS = tuple(f"link{place}" for place in range(6))  # placeholders for the ids of links
SCALARS: tuple[Value, ...] = (
    *(None, True, False),
    *(-1, 0, 1, 2, 3, 0.5, 1.0, 2.5, -1.0),  # halves add up exactly in any order
    *("", "a", "b", "ab", "A", "1", "é", "中文"),
)
CONTAINERS: tuple[Value, ...] = ([], [1], [1.0], [True], ["a", None], {}, {"x": 1}, {"x": 1.0})
PATTERNS = ("a", "^a", "b$", "a|b", "^[ab]+$", "(?i)A", ".")

VALUES = SCALARS + SCALARS + CONTAINERS
OBJECTS: tuple[dict[str, Value], ...] = (
    *({} for _ in range(20)),
    *({key: value} for key in KEYS for value in SCALARS + CONTAINERS),
    *({"k": one, "m": other} for one, other in zip(VALUES[5:], VALUES, strict=False)),
)

values = st.sampled_from(VALUES)
objects = st.sampled_from(OBJECTS)


def text(value: str) -> ast.Literal:
    return literal(value)
