"""What a run found: a table for people, JSON for the next run.

The rule: figures of different runs are compared by ratios, never by times: machines differ.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import date
from itertools import groupby
from pathlib import Path

import apsw
import orjson
from rich.console import Console
from rich.table import Table

from bench.measure import Figure

RESULTS = Path(__file__).parent / "results"


def in_sections(figures: Iterable[Figure]) -> list[Figure]:
    """Return the figures with those of one section together, sections as they first appear."""
    sections: dict[str, list[Figure]] = {}
    for one in figures:
        sections.setdefault(one.section, []).append(one)
    return [one for section in sections.values() for one in section]


def show(figures: Iterable[Figure], console: Console) -> None:
    """Print a table a section."""
    for section, lines in groupby(figures, key=lambda one: one.section):
        table = Table("", "measured", "beside", "ratio", "to reach", "reached", title=section)
        for column in table.columns[1:4]:
            column.justify = "right"
        for one in lines:
            table.add_row(
                one.name,
                f"{_number(one.value)} {one.unit}",
                "" if one.beside is None else _number(one.beside),
                "" if one.ratio is None else f"{one.ratio:.2f}",
                one.target,
                {True: "[green]yes", False: "[red]no", None: ""}[one.is_reached],
            )
        console.print(table)


def save(figures: Sequence[Figure], machine: str, *, is_small: bool) -> Path:
    """Write the figures under `results`, named by the date and the machine in words."""
    RESULTS.mkdir(exist_ok=True)
    day = date.today().isoformat()
    words = "-".join(re.findall(r"\w+", machine.lower())) + ("-small" if is_small else "")
    path = RESULTS / f"{day}-{words}.json"
    body = {
        "date": day,
        "machine": machine,
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "is_small": is_small,
        "figures": [_rounded(one) for one in figures],
    }
    path.write_bytes(orjson.dumps(body, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return path


def _rounded(figure: Figure) -> dict[str, object]:
    ratio = None if figure.ratio is None else round(figure.ratio, 2)
    fields = {name: value for name, value in asdict(figure).items() if value not in (None, "")}
    for name in ("value", "beside"):
        if name in fields:
            fields[name] = float(f"{fields[name]:.4g}")
    return fields | ({} if ratio is None else {"ratio": ratio})


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
