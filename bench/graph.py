"""The graph that is measured: power-law degrees, links about links, and a past of its own.

The rule: it goes through the product's own write path, in batches, and is the same in every
run. `known` is the transaction before its history begins: the past that reads are asked about.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import recollect
from bench.scale import Scale
from recollect.model import BatchReport, Change, Delete, Key, Local, PutConcept, PutLink, Value

BATCH = 10_000  # changes in one transaction
_NOTES = (
    "mild", "severe", "chronic", "acute", "rare", "common",
    "early", "late", "adult", "infant", "daily", "weekly",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything; the shares are the same at every size."""

    concepts: int
    links: int

    @property
    def drugs(self) -> int:
        """The subjects of most links."""
        return self.concepts * 6 // 10

    @property
    def symptoms(self) -> int:
        """The objects of `treats`."""
        return self.concepts * 2 // 10

    @property
    def classes(self) -> int:
        """A tree by `is_subclass_of`."""
        return self.concepts // 10

    @property
    def people(self) -> int:
        """Who says so: the objects of the links about links."""
        return self.concepts // 10


LARGE = Size(100_000, 1_000_000)


def sizes(scale: Scale) -> tuple[Size, Size]:
    """Return the sizes of the two graphs that are compared: the second has ten times the first."""
    large = Size(scale.size(LARGE.concepts), scale.size(LARGE.links))
    return Size(large.concepts // 10, large.links // 10), large


@dataclass(frozen=True, slots=True)
class Built:
    """A graph on disk, and what writing it took."""

    path: str | Path
    size: Size
    known: int  # the transaction before the history
    links_a_second: float  # of the batches that only put links


class Builder:
    """Writes one graph; `done` counts its changes, for a progress bar."""

    def __init__(self, path: str | Path, size: Size) -> None:
        self._path = path
        self._size = size
        self._chance = random.Random(1)
        self._mentioned: list[str] = []  # ids of links the history will change
        self.done = 0
        self.total = size.links * 11 // 10 + size.concepts

    def run(self) -> Built:
        """Write it all and return how fast that was."""
        with recollect.open(self._path, synchronous="normal") as nexus:
            self._write(nexus, self._concepts())
            times = self._write(nexus, self._links(), keep=True)
            known = nexus.stats().transactions
            self._write(nexus, self._history())
        return Built(self._path, self._size, known, _rate(times))

    def _write(
        self, nexus: recollect.Nexus, changes: Iterator[tuple[Change, ...]], *, keep: bool = False
    ) -> list[tuple[int, float]]:
        """Write changes in batches; return how many each had, and the seconds it took."""
        times = []
        while batch := [one for together in islice(changes, BATCH) for one in together]:
            start = time.perf_counter()
            (report,) = nexus.write(batch).results
            times.append((len(batch), time.perf_counter() - start))
            self.done += len(batch)
            if keep:
                assert isinstance(report, BatchReport)
                self._mentioned += report.ids[::9]
        return times

    def _concepts(self) -> Iterator[tuple[Change, ...]]:
        size, chance = self._size, self._chance
        for at in range(size.classes):
            yield (PutConcept("Class", f"class {at}", {"level": at % 7}),)
        for at in range(size.symptoms):
            yield (PutConcept("Symptom", f"symptom {at}", {"severity": chance.randrange(10)}),)
        for at in range(size.people):
            yield (PutConcept("Person", f"person {at}"),)
        for at in range(size.drugs):
            attributes: dict[str, Value] = {
                "risk_level": chance.randrange(10),
                "price": round(chance.uniform(1, 500), 2),
                "note": " ".join(chance.choices(_NOTES, k=4)),
            }
            metadata: dict[str, Value] = {
                "source": f"register {chance.randrange(50)}",
                "confidence": 0.9,
            }
            yield (PutConcept("Drug", f"drug {at}", attributes, metadata),)

    def _links(self) -> Iterator[tuple[Change, ...]]:
        size, chance = self._size, self._chance
        for at in range(1, size.classes):
            parent = _class(int(at * chance.random() ** 2))
            yield (PutLink(_class(at), "is_subclass_of", parent),)
        for at in range(size.drugs):
            yield (PutLink(_drug(at), "belongs_to_class", _class(self._popular(size.classes))),)
        rest = size.links - size.classes - size.drugs
        yield from self._said(rest * 45 // 100, "treats", _symptom, size.symptoms)
        yield from self._said(rest * 55 // 100, "interacts_with", _drug, size.drugs)

    def _said(
        self, count: int, predicate: str, target: Callable[[int], Key], targets: int
    ) -> Iterator[tuple[Change, ...]]:
        """Yield different links, and a link about every twentieth: `count` in all."""
        size, chance = self._size, self._chance
        seen: set[int] = set()
        while len(seen) * 21 // 20 < count:
            subject, other = self._popular(size.drugs), self._popular(targets)
            if (pair := subject * targets + other) in seen:
                continue
            seen.add(pair)
            link = PutLink(
                _drug(subject),
                predicate,
                target(other),
                {"weight": chance.randrange(100), "note": chance.choice(_NOTES)},
                {"confidence": chance.randrange(100) / 100},
                handle=f"{predicate} {pair}" if len(seen) % 20 == 0 else None,
            )
            if link.handle is None:
                yield (link,)
            else:
                person = Key("Person", f"person {self._popular(size.people)}")
                year = {"year": 2000 + pair % 25}
                yield link, PutLink(Local(link.handle), "reported_by", person, year)

    def _history(self) -> Iterator[tuple[Change, ...]]:
        """Yield deletes and new contents, together a tenth of the links."""
        size, chance = self._size, self._chance
        ids = self._mentioned
        chance.shuffle(ids)
        half = size.links // 20
        for one in ids[:half]:
            yield (Delete(one),)
        for at in chance.sample(range(size.drugs), half // 2):
            yield (PutConcept("Drug", f"drug {at}", {"risk_level": chance.randrange(10)}),)
        for at in range(half // 2):
            name = f"drug {at % size.drugs}"
            yield (PutConcept("Drug", name, {"price": round(chance.uniform(1, 500), 2)}),)

    def _popular(self, count: int) -> int:
        """Return a number below `count`; low ones are far more likely, as degrees are."""
        return int(count * self._chance.random() ** 2.5)


def _drug(at: int) -> Key:
    return Key("Drug", f"drug {at}")


def _symptom(at: int) -> Key:
    return Key("Symptom", f"symptom {at}")


def _class(at: int) -> Key:
    return Key("Class", f"class {at}")


def _rate(times: list[tuple[int, float]]) -> float:
    return sum(count for count, _ in times) / sum(seconds for _, seconds in times)
