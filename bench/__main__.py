"""Time the engine beside hand-written SQL on the same file: `python -m bench`.

Builds its graphs in a temporary directory, measures, prints; `--save` keeps the figures.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import Progress

from bench import (
    agents,
    concurrency,
    knowledge_base,
    markup_graph,
    meanings,
    reads,
    recall,
    serving,
    writes,
)
from bench.claims import Knowledge
from bench.graph import Builder, Built, sizes
from bench.measure import Calibration, Figure
from bench.report import in_sections, save, show
from bench.scale import FULL, SMALL, TINY, Scale
from bench.searches import Library

SECTIONS = (
    "reads",
    "texts",
    "writes",
    "load",
    "search",
    "claims",
    "markup",
    "knowledge",
    "recall",
    "operations",
    "together",
    "serving",
    "mcp",
    "memory",
)

ResultT = TypeVar("ResultT")


class Counted(Protocol):
    """Work that counts what is done."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the benchmark: what is asked for, and where it may write."""

    folder: Path
    only: str
    scale: Scale
    progress: Progress
    calibration: Calibration

    def wants(self, section: str) -> bool:
        """Whether a section is asked for; any other word names shapes of the reads."""
        return not self.only or self.only == section or self._names_shapes(section)

    def figures(self) -> Iterator[Figure]:
        """Measure, section by section."""
        scale = self.scale
        self.calibration.run()
        if self.wants("texts"):
            yield from writes.text_figures(self.calibration, scale)
        if self.wants("writes"):
            yield writes.upsert_figure(self.folder, self.calibration, scale)
        if self.wants("together"):
            yield from concurrency.figures(self.folder, scale)
        if self.wants("operations"):
            yield from meanings.figures(self.folder, self.calibration, scale)
        if self.wants("serving"):
            yield from serving.figures(self.folder, scale)
        if self.wants("mcp"):
            yield from agents.figures(self.folder, scale)
        if self.wants("search"):
            yield from self._search()
        if self.wants("claims"):
            yield from self._claims()
        if self.wants("markup"):
            yield from markup_graph.figures(self.folder, self.calibration, scale)
        if self.wants("knowledge"):
            yield from knowledge_base.figures(self.folder, self.calibration, scale)
        if self.wants("recall"):
            yield from recall.figures(self.folder, self.calibration, scale)
        if self.wants("reads") or self.wants("load") or self.wants("memory"):
            yield from self._graphs()
        yield from self.calibration.figures()

    def _names_shapes(self, section: str) -> bool:
        return section == "reads" and self.only not in SECTIONS

    def _search(self) -> Iterator[Figure]:
        library = Library(self.folder / "library.db", self.scale)
        self._watched("documents", library, library.build)
        yield from library.figures(self.calibration)

    def _claims(self) -> Iterator[Figure]:
        knowledge = Knowledge(self.folder, self.scale)
        self._watched("claims", knowledge, knowledge.build)
        yield from knowledge.figures(self.calibration)

    def _graphs(self) -> Iterator[Figure]:
        timed = []
        for size in sizes(self.scale):
            builder = Builder(self.folder / f"{size.links}.db", size)
            built = self._watched(f"{size.links // 1000} k links", builder, builder.run)
            if self.wants("reads"):
                words = "" if self.only == "reads" else self.only
                timed.append(list(reads.time_shapes(built, words, self.calibration, self.scale)))
                for one in timed[-1]:
                    yield from reads.figures(one, size.links)
        yield from self._writes(built)
        if timed:
            for small, large in zip(*timed, strict=True):
                if large.shape.is_local:
                    yield reads.growth(small, large)

    def _writes(self, built: Built) -> Iterator[Figure]:
        if self.wants("memory"):
            yield writes.memory_figure(built)
        if self.wants("load"):
            yield from writes.load_figures(built, self.folder, self.calibration, self.scale)
            yield from writes.capsule_figures(built, self.scale)

    def _watched(self, name: str, work: Counted, action: Callable[[], ResultT]) -> ResultT:
        """Run an action while a bar shows how far its work has come."""
        task = self.progress.add_task(f"Building {name}", total=work.total)
        ends = threading.Event()

        def watch() -> None:
            while not ends.wait(0.2):
                self.progress.update(task, completed=work.done)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            return action()
        finally:
            ends.set()
            watcher.join()
            self.progress.remove_task(task)


def main() -> None:
    """Measure, print the tables, and keep them when asked to."""
    asked = _arguments()
    console = Console()
    with TemporaryDirectory() as folder, Progress(console=console, transient=True) as progress:
        place = Path(folder)
        run = Run(place, asked.only, asked.scale, progress, Calibration(place))
        figures = in_sections(run.figures())
    show(figures, console)
    promised = [one.is_reached for one in figures if one.is_reached is not None]
    console.print(f"{sum(promised)} of {len(promised)} targets reached")
    if asked.save:
        console.print(f"saved in {save(figures, asked.save, is_small=asked.scale is SMALL)}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    sizes = parser.add_mutually_exclusive_group()
    for name, scale, what in (
        ("--small", SMALL, "a tenth of everything"),
        ("--tiny", TINY, "a few seconds a section, to see that it runs: its times say nothing"),
    ):
        sizes.add_argument(
            name, action="store_const", dest="scale", const=scale, default=FULL, help=what
        )
    parser.add_argument(
        "--only", metavar="NAME", default="", help=f"{', '.join(SECTIONS)}, a shape"
    )
    parser.add_argument(
        "--save", metavar="MACHINE", help="keep the figures, with the machine in words"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
