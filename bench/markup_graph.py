"""Knowing Markup on the graph: 100,000 nodes loaded, then changed and shown.

Beside the load stand the same elements written as a batch of changes in a file of its own, so
that the difference is what the text costs. Every node but the leaves has ten children. A view is
also timed in a group of as many nodes that are all siblings.
"""

from __future__ import annotations

import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import recollect
from bench.measure import Calibration, Figure, seconds_of
from bench.scale import Scale
from recollect.faces.markup import Markup, parse, print_text
from recollect.model import Change, PutConcept, PutLink, Value

NODES = 100_000
_BELOW = 10  # children of a node
_WARM, _TIMES = 5, 100
_PARSED, _PRINTED = 4.0, 8.0  # MB/s
_LOADED = 10_000.0  # nodes a second
_GROWTH = 1.25  # of memory, beside what is linear
_BRANCH = 500  # nodes of the branch that is shown
_MOST = {
    "change": 5.0,
    "branch": 10.0,
    "budget": 15.0,
    "between": 5.0,
    "flat": 15.0,
}  # milliseconds, of half of the calls


def figures(folder: Path, calibration: Calibration, scale: Scale) -> Iterator[Figure]:
    """Time one load, and what one does in the group that it makes."""
    nodes, times = scale.size(NODES), scale.times(_TIMES)
    tree = list(_tree(nodes))
    yield from _language(_text(tree))
    with (
        recollect.open(folder / "markup.db") as nexus,
        recollect.open(folder / "bare.db") as bare,
        recollect.open(folder / "flat.db") as other,
    ):
        markup, text, flat = Markup(nexus), _text(tree), Markup(other)
        calibration.run()
        loaded = nodes / seconds_of(lambda: markup.load(text))
        batch = list(_changes(tree))  # made now: what it holds would lie in the way of the load
        written = nodes / seconds_of(lambda: bare.write(batch))
        yield Figure(
            "markup",
            f"load {nodes // 1000} k nodes",
            loaded,
            "nodes/s",
            written,
            f">= {_LOADED:,.0f}",
            loaded >= _LOADED,
        )
        yield _memory(folder, nodes)
        flat.load(_text([(one, 1, 1, 0) for one in range(1, nodes + 1)]))
        number = itertools.count()
        middle = str(nodes // 2)
        root = min(tree, key=lambda one: abs(one[2] - _BRANCH))[0]
        calls: dict[str, Callable[[], object]] = {
            "change": lambda: markup.apply(
                f"- ID: {middle} [updated]\n  Content: Words {next(number)}\n"
                "  - ID: new-1 [created]\n    Label: New\n"
            ),
            "branch": lambda: markup.render(str(root)),
            "budget": lambda: markup.render(attention=middle, budget=1_000),
            "between": lambda: flat.apply(
                f"- CONCEPTUAL SPACE\n  ID: space\n  - ID: {middle}\n"
                "  - ID: new-1 [created]\n    Label: New\n"
            ),
            "flat": lambda: flat.render(attention=middle, budget=1_000),
        }
        names = {
            "change": "one change",
            "branch": f"a branch of {_BRANCH} nodes",
            "budget": "a view within 1,000",
            "between": "an insertion between siblings",
            "flat": "a view of siblings",
        }
        for name, call in calls.items():
            calibration.run()
            took = _median(call, times)
            beside = (
                _median(lambda: bare.write(_bare_change(next(number))), times)
                if name == "change"
                else None
            )
            most = _MOST[name]
            yield Figure("markup", names[name], took, "ms", beside, f"<= {most:g}", took <= most)


def _language(text: str) -> Iterator[Figure]:
    """Time how fast a text becomes a document, and that a text."""
    size = len(text.encode()) / 1e6
    parsed = size / seconds_of(lambda: parse(text))
    document = parse(text)
    printed = size / seconds_of(lambda: print_text(document))
    for name, rate, least in (("parse", parsed, _PARSED), ("print", printed, _PRINTED)):
        yield Figure("markup", name, rate, "MB/s", None, f">= {least:g}", rate >= least)


def _memory(folder: Path, nodes: int) -> Figure:
    """Measure what a load takes of memory, beside twice what one of half as many nodes takes."""
    half, whole = (_megabytes(folder, count) for count in (nodes // 2, nodes))
    told = f"memory of a load of {nodes // 1000} k nodes"
    most = _GROWTH * 2 * half
    return Figure("markup", told, whole, "MB", 2 * half, f"<= {_GROWTH:g} x", whole <= most)


def _megabytes(folder: Path, nodes: int) -> float:
    command = [sys.executable, "-m", "bench.markup_memory", str(folder), str(nodes)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def tree_text(nodes: int) -> str:
    """Return the document of so many nodes."""
    return _text(list(_tree(nodes)))


def _bare_change(number: int) -> list[Change]:
    place: dict[str, Value] = {"space": "space", "order": number}
    return [
        PutConcept("Node", "1", {"content": f"Words {number}"}, id="1"),
        PutConcept("Node", f"bare {number}", {"label": "New"}, id=f"bare {number}"),
        PutLink(f"bare {number}", "parent", "1", place, key="space"),
    ]


def _median(call: Callable[[], object], count: int) -> float:
    """Return the median milliseconds of a call."""
    for _ in range(_WARM):
        call()
    times: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return 1_000 * statistics.median(times)


def _tree(nodes: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield each node in document order: its number, level, how many it has with it, its parent."""
    numbers = itertools.count(1)
    shares = [nodes // _BELOW + (one < nodes % _BELOW) for one in range(_BELOW)]
    waiting = [(share, 1, 0) for share in reversed(shares)]
    while waiting:
        size, level, above = waiting.pop()
        number = next(numbers)
        yield number, level, size, above
        left = size - 1
        parts = [left // _BELOW + (one < left % _BELOW) for one in range(_BELOW)]
        waiting += [(part, level + 1, number) for part in reversed(parts) if part]


def _text(tree: list[tuple[int, int, int, int]]) -> str:
    lines = ["- CONCEPTUAL SPACE\n  ID: space\n  Label: Space\n"]
    for number, level, *_ in tree:
        blanks = "  " * level
        lines.append(f"{blanks}- ID: {number}\n{blanks}  Label: Node {number}\n")
        if number % 2:
            lines.append(f"{blanks}  Content: Words {number}\n")
    return "".join(lines)


def _changes(tree: list[tuple[int, int, int, int]]) -> Iterator[Change]:
    yield PutConcept("Space", "space", {"label": "Space"}, id="space")
    for number, *_ in tree:
        said: dict[str, Value] = {"label": f"Node {number}"}
        if number % 2:
            said["content"] = f"Words {number}"
        yield PutConcept("Node", str(number), said, id=str(number))
    for number, _, _, above in tree:
        target, predicate = (str(above), "parent") if above else ("space", "in_space")
        place: dict[str, Value] = {"space": "space", "order": number}
        yield PutLink(str(number), predicate, target, place, key="space")
