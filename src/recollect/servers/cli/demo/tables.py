"""The tables of ISO codes that pycountry carries, as concepts and links.

Nothing here is invented: every concept is a row of a table, every attribute a field of it or
its Chinese translation, and every link follows from the codes themselves.
"""

from __future__ import annotations

import gettext
from collections.abc import Callable, Iterator

import pycountry
from pycountry.db import Data

from recollect.model import Value
from recollect.servers.cli.demo.capsules import DemoEntry, DemoTarget

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
    yield from countries()
    yield from places()
    yield from currencies()
    yield from former_countries()
    yield from languages()
    yield from families()
    yield from scripts()


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
