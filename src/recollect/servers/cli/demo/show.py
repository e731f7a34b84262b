"""Build the demo's memory, question it, teach it and correct it, in the open.

The rule: nothing here is invented. Every concept is a row of the tables of ISO codes that pycountry
carries, every attribute a field of it or its Chinese translation, and every link follows from the
codes themselves. Only the part that needs no KIP has a story: facts about one woman, told,
corrected and forgotten.
"""

from __future__ import annotations

import gettext
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Any

import pycountry
from pycountry.db import Data
from rich.syntax import Syntax

from recollect.errors import install, refused
from recollect.faces.kip import answer_kip
from recollect.faces.kip.response import success
from recollect.faces.memory import Memory, Remembered
from recollect.kernel import Nexus, read_as_of
from recollect.model import Value
from recollect.node import dataclass
from recollect.servers.cli.answers import AskedText, show_answer
from recollect.servers.cli.demo.capsules import DemoEntry, DemoQuestion, DemoTarget, capsule, told
from recollect.servers.cli.lexer import KipLexer
from recollect.servers.cli.manage import counts_of
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.safe_text import shown
from recollect.servers.settings import Located, Settings
from recollect.servers.wiring import make_folder, open_nexus

SCOPES = {"I": "individual", "M": "macrolanguage", "S": "special"}
VITALITIES = {
    "A": "ancient",
    "C": "constructed",
    "E": "extinct",
    "H": "historical",
    "L": "living",
    "S": "special",
}


def entries() -> Iterator[DemoEntry]:
    """Yield every entry, what is pointed at before what points at it."""
    yield from chain(countries(), places(), currencies(), former_countries())
    yield from chain(languages(), families(), scripts())


def countries() -> Iterator[DemoEntry]:
    """ISO 3166-1: countries by their name."""
    for row in pycountry.countries:
        fields = ("alpha_2", "alpha_3", "numeric", "official_name", "common_name", "flag")
        yield _entry("Country", row, "ISO 3166-1", *fields)


def places() -> Iterator[DemoEntry]:
    """ISO 3166-2: places by their code, each in the place or country it is a part of.

    A place that others are part of is a Region, the others are Subdivisions.
    """
    rows = {row.code: row for row in pycountry.subdivisions}
    names = {row.alpha_2: row.name for row in pycountry.countries}
    parents = {row.parent_code for row in rows.values()}
    chinese = _chinese("ISO 3166-2")

    def depth(code: str) -> int:
        parent = rows[code].parent_code
        return 1 + depth(parent) if parent in rows else 0

    for code in sorted(rows, key=lambda code: (depth(code), code)):
        row = rows[code]
        attributes: dict[str, Value] = {"title": row.name, "kind": row.type}
        if translated := chinese(row.name):
            attributes["name_zh"] = translated
        whole = (
            DemoTarget("part_of", "Region", row.parent_code)
            if row.parent_code in rows
            else DemoTarget("part_of", "Country", names[row.country_code])
        )
        kind = "Region" if code in parents else "Subdivision"
        yield DemoEntry(kind, code, "ISO 3166-2", attributes, (whole,))


def currencies() -> Iterator[DemoEntry]:
    """ISO 4217: currencies by their code, whose first two letters name a country or none."""
    names = {row.alpha_2: row.name for row in pycountry.countries}
    chinese = _chinese("ISO 4217")
    for row in pycountry.currencies:
        attributes: dict[str, Value] = {"title": row.name, "numeric": row.numeric}
        if translated := chinese(row.name):
            attributes["name_zh"] = translated
        country = names.get(row.alpha_3[:2])
        links = (DemoTarget("currency_of", "Country", country),) if country else ()
        yield DemoEntry("Currency", row.alpha_3, "ISO 4217", attributes, links)


def former_countries() -> Iterator[DemoEntry]:
    """ISO 3166-3: withdrawn names; their code ends in the country that followed, if one did."""
    names = {row.alpha_2: row.name for row in pycountry.countries}
    for row in pycountry.historic_countries:
        successor = names.get(row.alpha_4[2:])
        links = (DemoTarget("succeeded_by", "Country", successor),) if successor else ()
        fields = ("alpha_4", "withdrawal_date", "comment")
        yield _entry("FormerCountry", row, "ISO 3166-3", *fields, links=links)


def languages() -> Iterator[DemoEntry]:
    """ISO 639-3: languages by their reference name."""
    for row in pycountry.languages:
        entry = _entry("Language", row, "ISO 639-3", "alpha_3", "alpha_2", "inverted_name")
        entry.attributes["scope"] = SCOPES[row.scope]
        entry.attributes["vitality"] = VITALITIES[row.type]
        yield entry


def families() -> Iterator[DemoEntry]:
    """ISO 639-5: families and groups of languages."""
    for row in pycountry.language_families:
        yield _entry("LanguageFamily", row, "ISO 639-5", "alpha_3")


def scripts() -> Iterator[DemoEntry]:
    """ISO 15924: writing systems."""
    for row in pycountry.scripts:
        yield _entry("Script", row, "ISO 15924", "alpha_4", "numeric")


def _entry(
    kind: str, row: Data, source: str, *fields: str, links: tuple[DemoTarget, ...] = ()
) -> DemoEntry:
    """Return a row that is known by its name, with those of the fields that it has."""
    attributes: dict[str, Value] = {}
    present = dict(row)
    for one in fields:
        if one in present:
            attributes[one] = present[one]
    if translated := _chinese(source)(row.name):
        attributes["name_zh"] = translated
    return DemoEntry(kind, row.name, source, attributes, links)


def _chinese(standard: str) -> Callable[[str], str]:
    """Return the Chinese names of a standard's entries; empty if there are none."""
    domain = standard.lower().replace("iso ", "iso")
    catalogue = gettext.translation(
        domain, pycountry.LOCALES_DIR, languages=["zh_CN"], fallback=True
    )

    def translated(name: str) -> str:
        found = catalogue.gettext(name)
        return "" if found == name else found

    return translated


@dataclass(frozen=True, slots=True)
class DemoCall:
    """One call of the memory, as it is written in Python, with what it answered."""

    title: str
    command: str
    lines: tuple[str, ...]
    answer: Mapping[str, Any]


def calls(memory: Memory) -> Iterator[DemoCall]:
    """Remember, recall, correct and forget, one after the other."""
    first = _fact("works_at", "Siemens", valid_at="2019")
    address = _fact("lives_at", "Rosenweg 5, Munich")
    told = memory.remember(facts=[first, address])
    yield _remembered_call(
        "Told without KIP: Maria's work and address", f"facts={[first, address]}", told
    )
    newer = _fact("works_at", "BMW", valid_at="2024-05")
    told = memory.remember(facts=[newer])
    yield _remembered_call("Told later: the newer fact ends the older", f"facts={[newer]}", told)
    question = "Where does Maria work?"
    found = memory.recall(question, kinds=["fact"], limit=1)
    yield DemoCall(
        question, f'memory.recall("{question}")', tuple(map(str, found.memories)), found.to_dict()
    )
    right = memory.correct(told.facts[0].id, object="Audi")
    yield DemoCall(
        "That was wrong: it was Audi all along",
        'memory.correct(id, object="Audi")',
        (f"before: {right.before.text}", f"now:    {right.memory}"),
        right.to_dict(),
    )
    home = memory.list(about="Maria").memories
    identifier = next(one.id for one in home if one.predicate == "lives_at")
    gone = memory.forget(id=identifier)
    yield DemoCall(
        "Forget my address",
        "memory.forget(id=id)",
        (*map(str, gone.memories), gone.undo),
        gone.to_dict(),
    )
    brief = memory.brief("Maria")
    yield DemoCall(
        "What do you know about Maria?",
        'memory.brief("Maria")',
        tuple(brief.text.splitlines()),
        brief.to_dict(),
    )


def _fact(predicate: str, target: str, **more: str) -> dict[str, str]:
    return {"subject": "Maria", "predicate": predicate, "object": target, **more}


def _remembered_call(title: str, given: str, told: Remembered) -> DemoCall:
    ended = (f"ended: {one.line}, until {(one.until or '')[:10]}" for one in told.ended)
    command = f"memory.remember({given})".replace("}, {", "},\n    {").replace("[{", "[\n    {")
    return DemoCall(title, command, (*map(str, told.facts), *ended), told.to_dict())


BATCH = 500
"""So many concepts are written by one capsule."""


class Demonstration:
    """One memory, one audience, and a record of what was asked and answered."""

    def __init__(self, nexus: Nexus, out: Output) -> None:
        self.nexus = nexus
        self.out = out
        self.steps: list[dict[str, object]] = []

    def load(self, entries: list[DemoEntry]) -> None:
        """Write the entries, one capsule for each batch of one source."""
        started = time.perf_counter()
        with self.out.progress() as progress:
            task = progress.add_task("learning", total=len(entries))
            for source, batch in _batches(entries):
                progress.update(task, description=f"learning {source}")
                answer_kip(self.nexus, capsule(batch, source))
                progress.advance(task, len(batch))
        seconds = time.perf_counter() - started
        links = sum(len(entry.links) for entry in entries)
        self.out.say(
            f"Learnt {len(entries):,} concepts and {links:,} links of the ISO tables "
            f"in {seconds:.1f} s.",
            "green",
        )

    def step(self, question: DemoQuestion, as_of: Mapping[str, object] | None = None) -> None:
        """Show one text, run it, and show what it gives."""
        self.out.say(f"\n{len(self.steps) + 1}. {question.title}\n", "bold underline")
        syntax = Syntax(question.text, KipLexer(), theme="ansi_dark", background_color="default")
        text = syntax.highlight(question.text)
        text.rstrip()
        self.out.show_text(text)
        answer = answer_kip(self.nexus, question.text, as_of=as_of)
        told = {"title": question.title, "command": question.text}
        self.steps.append({**told, "response": success(answer, "rows")})
        if not self.out.as_json:
            self.out.say("")
            show_answer(self.out, self.nexus, answer, AskedText(question.text, read_as_of(as_of)))

    def call(self, made: DemoCall) -> None:
        """Show one call of the memory, and what it answers."""
        self.out.say(f"\n{len(self.steps) + 1}. {made.title}\n", "bold underline")
        self.steps.append(
            {
                "title": made.title,
                "command": made.command,
                "response": {"result": dict(made.answer)},
            }
        )
        self.out.say(made.command)
        self.out.say("")
        for line in made.lines:
            self.out.show_text(shown(line, "green"))


def demonstrate(database: Path | None, *, as_json: bool) -> None:
    """Run the demo on a new file; a file that is there already is left alone."""
    with output(as_json=as_json) as out:
        entries = list(_tables()())
        settings = Settings()
        path = _new_file(database, settings)
        located = Located(str(path), "made for the demo")
        started = time.perf_counter()
        with closing(open_nexus(located, "default", create=True)) as nexus:
            demonstration = Demonstration(nexus, out)
            demonstration.load(entries)
            _tell(demonstration)
            counts = counts_of(nexus)
        seconds = round(time.perf_counter() - started, 1)
        if as_json:
            steps = demonstration.steps
            out.json(
                {"result": {"path": str(path), "seconds": seconds, "stats": counts, "steps": steps}}
            )
            return
        out.say(f"\nAll of it took {seconds} s. The memory is kept in {path}", "green")
        program, memory = quote(settings.program()), quote(str(path))
        out.say(f"try: {program} studio {memory}, or {program} shell {memory}", "bold")


def _tell(demonstration: Demonstration) -> None:
    """Ask, learn, correct: the steps of the demo in order."""
    for one in (*told("world"), *told("lessons")):
        demonstration.step(one)
    question, correction = told("correction")
    demonstration.step(question)
    before = demonstration.nexus.stats().transactions
    demonstration.step(correction)
    again = "The same question, after the correction"
    demonstration.step(DemoQuestion(again, question.text))
    again = "The same question, as of the moment before the correction"
    demonstration.step(DemoQuestion(again, question.text), as_of={"known": before})
    for made in calls(Memory(demonstration.nexus, actor="demo")):
        demonstration.call(made)
    demonstration.step(DemoQuestion("What is this memory about?", "DESCRIBE PRIMER"))


def _tables() -> Callable[[], Iterator[DemoEntry]]:
    """Return what reads the tables, if the extra that carries them is installed."""
    try:
        from recollect.servers.cli.demo.show import entries
    except ModuleNotFoundError as missing:
        raise refused(f"the demo needs the package {missing.name}", install("demo")) from missing
    return entries


def _new_file(database: Path | None, settings: Settings) -> Path:
    """Return a file that is not there: the one named, or the demo's own after its last run."""
    if database is None:
        path = settings.demo()
        make_folder(path.parent)
        for ending in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        return path
    if database.exists():
        raise refused(
            f"{database} is there already, and the demo makes a new memory",
            f"recollect shell {quote(str(database))}, or name a new file",
        )
    return database


def _batches(entries: Iterable[DemoEntry]) -> Iterator[tuple[str, list[DemoEntry]]]:
    """Yield runs of entries of one source, at most BATCH long, with the source."""
    run: list[DemoEntry] = []
    for entry in entries:
        if run and (len(run) == BATCH or run[0].source != entry.source):
            yield run[0].source, run
            run = []
        run.append(entry)
    if run:
        yield run[0].source, run
