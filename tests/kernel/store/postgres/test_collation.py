"""A database whose texts stand in the order of a language: ours stand by code points there too."""

from __future__ import annotations

import random
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

import postgres
import recollect
from recollect.kernel import Nexus
from recollect.model import Cell, PutConcept, Rows, Value

LOCALES = ("LOCALE_PROVIDER icu ICU_LOCALE 'en-US'", "LOCALE 'en_US.UTF-8'")
PLANES = ((0x20, 0x7F), (0xA1, 0x250), (0x370, 0x530), (0x4E00, 0x4E80), (0x1F600, 0x1F640))


@pytest.fixture
def in_english(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an en_US database: of the run's server, or of one that is given the locale."""
    with ExitStack() as stack:
        found = _made(stack, postgres_server)
        if found is None:
            if shutil.which("localedef") is None:
                pytest.skip("neither the server nor this machine knows en_US")
            place = postgres.new_place()
            stack.callback(postgres.forget_place, place)
            Path(place).chmod(0o755)  # the server is another user where we are root
            locale = f"{place}/en_US.UTF-8"
            subprocess.run(["localedef", "-i", "en_US", "-f", "UTF-8", locale], check=True)
            monkeypatch.setenv("LOCPATH", place)
            found = _made(stack, stack.enter_context(postgres.served(place)))
        assert found is not None
        yield found


def _made(stack: ExitStack, server: str) -> str | None:
    for locale in LOCALES:
        try:
            return stack.enter_context(postgres.database(server, "recollect_in_english", locale))
        except psycopg.Error:
            continue  # the server was built without it, or its machine has none
    return None


def strings() -> list[str]:
    """Return 1,000 texts of several scripts, of letters in both cases, marks and signs."""
    chance, found = random.Random(11), set[str]()
    while len(found) < 1_000:
        points = (chance.randrange(*chance.choice(PLANES)) for _ in range(chance.randint(1, 6)))
        text = unicodedata.normalize("NFC", "".join(map(chr, points))).strip()
        if text and all(unicodedata.category(one)[0] in "LMNPSZ" for one in text):
            found.add(text)
    return list(found)


def rows(
    nexus: Nexus, text: str, given: Mapping[str, Value] | None = None
) -> Sequence[tuple[Cell, ...]]:
    (found,) = nexus.read(text, given or {}).results
    assert isinstance(found, Rows)
    return found.rows


def test_a_thousand_texts_stand_in_the_order_of_code_points_in_an_english_database(
    in_english: str,
):
    told = strings()
    ordered = sorted(told)
    middle, upper = ordered[500], ordered[750]
    with psycopg.connect(in_english) as connection:
        plain = connection.execute("SELECT t FROM unnest(%s::text[]) AS t ORDER BY t", [told])
        assert [one for (one,) in plain] != ordered
    with recollect.open(f"{in_english}{'&' if '?' in in_english else '?'}schema=words") as nexus:
        nexus.write([PutConcept("Word", one, {"text": one}) for one in told])
        for value in ("?w.name", "?w.attributes.text"):
            found = f'FIND({value}) WHERE {{ ?w {{type: "Word"}} '

            def asked(rest: str, found: str = found) -> list[Cell]:
                given = {"middle": middle, "upper": upper}
                return [one for (one,) in rows(nexus, found + rest, given)]

            assert asked(f"}} ORDER BY {value} LIMIT 1000") == ordered
            assert asked(f"}} ORDER BY {value} DESC LIMIT 1000") == ordered[::-1]
            between = f"FILTER({value} >= $middle && {value} < $upper) }} ORDER BY {value}"
            assert asked(f"{between} LIMIT 1000") == ordered[500:750]
            ends = f'FIND(MIN({value}), MAX({value})) WHERE {{ ?w {{type: "Word"}} }}'
            assert rows(nexus, ends) == [(ordered[0], ordered[-1])]
