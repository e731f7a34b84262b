"""Times are read out of texts in three languages, and nothing that names none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from recollect.kernel.recall.spans import asked_for, spoken_of
from recollect.kernel.search.tokens import tokens

SAID = int(datetime(2023, 5, 8, 12, tzinfo=UTC).timestamp() * 1000)  # a Monday


def days(text: str) -> list[tuple[str, str]]:
    return [(day(begin), day(end)) for begin, end in spoken_of(text, tokens(text), SAID)]


def day(instant: int) -> str:
    return datetime.fromtimestamp(instant / 1000, UTC).date().isoformat()


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("I went yesterday", "2023-05-07", "2023-05-08"),
        ("the day before yesterday", "2023-05-06", "2023-05-07"),
        ("last week we met", "2023-05-01", "2023-05-08"),
        ("two years ago", "2021-01-01", "2022-01-01"),
        ("seit Mai 2021", "2021-05-01", "2021-06-01"),
        ("la semana pasada", "2023-05-01", "2023-05-08"),
        ("on 7 May 2023", "2023-05-07", "2023-05-08"),
        ("May 7th", "2023-05-07", "2023-05-08"),
        ("vor drei Wochen", "2023-04-14", "2023-04-21"),
        ("last Friday", "2023-05-05", "2023-05-06"),
        ("im März", "2023-03-01", "2023-04-01"),
        ("am 3.4.2021", "2021-04-03", "2021-04-04"),
        ("hace 2 años", "2021-01-01", "2022-01-01"),
        ("pasado mañana", "2023-05-10", "2023-05-11"),
        ("2022-05", "2022-05-01", "2022-06-01"),
        ("el 5 de junio de 2020", "2020-06-05", "2020-06-06"),
    ],
)
def test_a_time_is_a_span(text: str, begin: str, end: str) -> None:
    assert days(text) == [(begin, end)]


@pytest.mark.parametrize("text", ["I may go and march on", "it costs 12", "31 February 2021", ""])
def test_what_names_no_time_has_none(text: str) -> None:
    assert days(text) == []


def test_a_month_without_a_year_is_asked_of_every_year() -> None:
    assert asked_for("What happened in May?", SAID).months == ((5, None),)
    assert asked_for("Was war am 7. Mai?", SAID).months == ((5, 7),)
    assert asked_for("What happened in May 2022?", SAID).months == ()


@pytest.mark.parametrize(
    ("question", "is_of_the_past"),
    [
        ("Which editor does Ann use to write code?", False),
        ("What do I use to cut bread?", False),
        ("Where did Ann use to live?", True),
        ("Where didn't she use to go?", True),
        ("Where she used to live", True),
    ],
)
def test_what_people_use_to_do_something_is_not_what_they_used_to_do(
    question: str, is_of_the_past: bool
) -> None:
    assert bool(asked_for(question, SAID).held) is is_of_the_past
