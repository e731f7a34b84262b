"""The times that a text speaks of: dates, and expressions counted from when it was said.

The rule: a time is a half-open span in milliseconds; what names no time is left out rather than
guessed. English, German and Spanish. A month without a year is, in a text, the one nearest to when
it was said; in a question, that of every year.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from string import Template
from typing import Final

from recollect.kernel.recall.words import ASKED, listed
from recollect.kernel.search.tokens import tokens
from recollect.model import BEGINNING, FOREVER
from recollect.node import dataclass

Span = tuple[int, int]

DAY: Final = 86_400_000
_EPOCH: Final = date(1970, 1, 1).toordinal()


def _words_for(kind: str) -> dict[str, str]:
    """Return the words of one kind in `lists/times.txt`, and what each says; "_" is a space."""
    lines = (line.split() for line in listed("times"))
    return {
        word.replace("_", " "): says for own, says, *words in lines if own == kind for word in words
    }


def _numbers_for(kind: str) -> dict[str, int]:
    return {word: int(number) for word, number in _words_for(kind).items()}


_MONTHS, _DAYS, _NUMBERS, _NEAR, _WHICH = map(
    _numbers_for, ("month", "weekday", "number", "near", "which")
)
_UNITS, _SIDES = map(_words_for, ("unit", "side"))


def _any(names: dict[str, int] | dict[str, str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


_PARTS: Final = {
    "month": f"(?P<month>{_any(_MONTHS)})",
    "day": r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.)?",
    "year": r"(?P<year>(?:1[5-9]|20|21)\d\d)",
    "count": rf"(?P<count>\d{{1,3}}|{_any(_NUMBERS)})",
    "unit": f"(?P<unit>{_any(_UNITS)})",
    "near": _any(_NEAR),
    "which": _any(_WHICH),
    "weekday": _any(_DAYS),
}
_PATTERNS: Final = tuple(
    (
        trigger,
        re.compile(rf"(?<![\w.-])(?:{Template(one).substitute(_PARTS)})(?!\w)", re.IGNORECASE),
    )
    for trigger, _, one in (line.partition("\t") for line in listed("patterns"))
)
"""What names a time, the more telling first, and what a text must have for it."""

_ONE_OR_ALL_DAYS: Final = {**{f"{name}s": day for name, day in _DAYS.items()}, **_DAYS}
_A_YEAR: Final = re.compile(r"(?<!\d)(?:1[5-9]|2[01])\d\d(?!\d)")
_UNDER: Final = ("month", "near", "weekday", "unit")
_TRIGGERS: Final = {
    word: trigger
    for trigger, names in zip(_UNDER, ([*_MONTHS], [*_NEAR], [*_DAYS], [*_UNITS]), strict=True)
    for name in names
    for word in tokens(name)
    if word not in {"the", "this", "last"}
}


_SIDE: Final = re.compile(
    rf"\b({_any(_SIDES)})\s+(?:(?:the|end|year|of|dem|ende|jahr|el|año|de)\s+)*$", re.IGNORECASE
)
"""What stands before a time and says on which side of it."""


@dataclass(frozen=True, slots=True)
class HeldThen:
    """When what a question asks for held, and which end of that time is to lie near what."""

    begin: int
    end: int
    edge: str = ""  # "begin" or "end"; "over" where it must have ended by `end`
    near: Span = (BEGINNING, FOREVER)


def held_before(instant: int) -> HeldThen:
    """Return what held before an instant, best the last."""
    return HeldThen(BEGINNING, instant, "end", (instant, FOREVER))


def held_after(instant: int) -> HeldThen:
    """Return what held after an instant, best the first."""
    return HeldThen(instant, FOREVER, "begin", (instant, instant))


def held_once(instant: int) -> HeldThen:
    """Return what was over by an instant, best the last."""
    return HeldThen(BEGINNING, instant, "over", (instant, instant))


@dataclass(frozen=True, slots=True)
class Times:
    """The times a question names: spans, and months, with a day or without, of every year."""

    spans: tuple[Span, ...] = ()
    months: tuple[tuple[int, int | None], ...] = ()
    held: tuple[HeldThen, ...] = ()  # when what is asked for held
    beside: tuple[str, str] | None = None  # "before" or "after", and the words of what
    cues: frozenset[str] = frozenset()  # words that only say so
    was: bool = False  # it may ask for what was so
    did: bool = False  # it asks in the past tense

    @property
    def is_any(self) -> bool:
        """Whether the question names a time at all."""
        return bool(self.spans or self.months)

    @property
    def is_within(self) -> bool:
        """Whether what is asked for held inside the times named, not before or after one."""
        ends = [(one.begin, one.end) for one in self.held if not one.edge]
        is_any_year = bool(self.months) and not self.held
        return is_any_year or (bool(ends) and set(ends) == set(self.spans))


def is_of_time(word: str) -> bool:
    """Whether a folded word may be part of a time: "on Sundays" too."""
    return word in _TRIGGERS or word.removesuffix("s") in _TRIGGERS or word[:1].isdigit()


def weekdays_in(words: Sequence[str]) -> frozenset[int]:
    """Return the weekdays, Monday being 0, that folded words name, one or all: "on Sundays"."""
    return frozenset(map(_ONE_OR_ALL_DAYS.__getitem__, _ONE_OR_ALL_DAYS.keys() & words))


def day_of(instant: int) -> Span:
    """Return the day in UTC that an instant lies in."""
    begin = instant // DAY * DAY
    return begin, begin + DAY


def spoken_of(text: str, words: list[str], said_at: int | None) -> tuple[Span, ...]:
    """Return the times that a text of such words speaks of, each once.

    Relative ones need when it was said.

    >>> text = "moved in May 1970"
    >>> [(b // DAY, (e - b) // DAY) for b, e in spoken_of(text, tokens(text), None)]
    [(120, 31)]
    >>> text = "Gestern war ich da"
    >>> [(b // DAY, (e - b) // DAY) for b, e in spoken_of(text, tokens(text), 5 * DAY)]
    [(4, 1)]
    """
    found: dict[Span, None] = {}
    for match in _matches(text, words):
        if (span := _span(match, said_at)) is not None:
            found[span] = None
    return tuple(found)


def asked_for(question: str, asked_at: int) -> Times:
    """Return the times that a question names; relative ones are counted from when it is asked.

    >>> asked_for("What happened in May?", 0).months
    ((5, None),)
    """
    dated: list[tuple[int, str, Span]] = []
    months: dict[tuple[int, int | None], None] = {}
    cues: list[str] = []
    for match in _matches(question, tokens(question)):
        parts = match.groupdict()
        if parts.get("month") and not parts.get("year"):
            day = parts.get("day")
            months[_MONTHS[parts["month"].lower()], None if day is None else int(day)] = None
        elif (span := _span(match, asked_at)) is not None:
            side = _SIDE.search(question[max(0, match.start() - 60) : match.start()])
            cues += [side[0]] if side else []
            dated.append((match.start(), _SIDES[side[1].lower()] if side else "", span))
    held = _held(sorted(dated), asked_at)
    beside = ASKED["beside"].search(question) if not dated else None
    if beside is not None:
        cues.append(f"{beside[1] or ''}{beside[2]}")
    elif not dated and (over := [*_formerly(question)]):
        held, cues = (held_once(asked_at),), over
    return Times(
        tuple(dict.fromkeys(span for _, _, span in dated)),
        tuple(months),
        held,
        None if beside is None else (_SIDES[beside[2].lower()], beside[3]),
        frozenset(tokens(" ".join(cues))),
        ASKED["was"].search(question) is not None,
        ASKED["did"].search(question) is not None,
    )


def _formerly(question: str) -> Iterator[str]:
    """Yield what asks for what is over; "use to" does in the past alone: "did she use to"."""
    for found in ASKED["formerly"].finditer(question):
        if found[0].lower() != "use to" or ASKED["was"].search(question[: found.start()]):
            yield found[0]


def _held(dated: Sequence[tuple[int, str, Span]], asked_at: int) -> tuple[HeldThen, ...]:
    """Return when what is asked for held, by times in the order of the question."""
    found: list[HeldThen] = []
    begun: Span | None = None
    for _, side, (begin, end) in dated:
        match side:
            case "to" | "until" if begun is not None:
                found[-1] = HeldThen(begun[0], end)
            case "before":
                found.append(held_before(begin))
            case "until":
                found.append(HeldThen(BEGINNING, end, "end", (begin, end)))
            case "since":
                found.append(HeldThen(begin, FOREVER, "begin", (begin, end)))
            case "after":
                found.append(HeldThen(end, FOREVER))
            case _ if end - begin > DAY or not begin <= asked_at < end:  # today is now
                found.append(HeldThen(begin, end))
        begun = (begin, end) if side == "since" else None
    return tuple(found)


def _matches(text: str, words: list[str]) -> Iterator[re.Match[str]]:
    """Yield what names a time, the more telling patterns first; no part of a text twice."""
    may_be_dated = ("1" in text or "2" in text) and _A_YEAR.search(text) is not None
    if not may_be_dated and _TRIGGERS.keys().isdisjoint(words):
        return
    triggers = {_TRIGGERS[one] for one in words if one in _TRIGGERS}
    if may_be_dated:
        triggers.add("digit")
    taken: list[tuple[int, int]] = []
    for trigger, pattern in _PATTERNS:
        for match in pattern.finditer(text) if trigger in triggers else ():
            begin, end = match.span()
            if all(end <= first or last <= begin for first, last in taken):
                taken.append((begin, end))
                yield match


def _span(match: re.Match[str], at: int | None) -> Span | None:
    parts = {key: one.lower() for key, one in match.groupdict().items() if one is not None}
    if "year" in parts or "month" in parts or "month_number" in parts:
        return _dated(parts, at)
    if at is None:
        return None
    today = at // DAY + _EPOCH
    try:
        return _counted(parts, date.fromordinal(today))
    except (ValueError, OverflowError):
        return None


def _dated(parts: dict[str, str], at: int | None) -> Span | None:
    named = parts.get("month")
    month = _MONTHS[named] if named else int(parts.get("month_number", 0))
    day = int(parts.get("day", 0))
    try:
        if "year" in parts:
            year = int(parts["year"])
            if not month:
                return _days(date(year, 1, 1), date(year + 1, 1, 1))
            return _of_month(year, month, day)
        if at is None:
            return None
        now = datetime.fromtimestamp(at / 1000, UTC).date()
        near = (date(now.year + shift, month, 15) for shift in (-1, 0, 1))
        year = min(near, key=lambda one: abs((one - now).days)).year
        return _of_month(year, month, day)
    except (ValueError, OverflowError, OSError):
        return None


def _of_month(year: int, month: int, day: int) -> Span:
    if day:
        return _days(date(year, month, day), date(year, month, day) + timedelta(1))
    after = date(year + month // 12, month % 12 + 1, 1)
    return _days(date(year, month, 1), after)


def _counted(parts: dict[str, str], today: date) -> Span | None:
    if "near" in parts:
        return _period("day", _NEAR[parts["near"]], today)
    if "weekday" in parts:
        shift = _WHICH.get(parts.get("which", ""), -1)
        back = (today.weekday() - _DAYS[parts["weekday"]]) % 7
        day = today - timedelta(back if shift <= 0 and back else 7 if shift < 0 else back - 7)
        return _days(day, day + timedelta(1))
    unit = _UNITS[parts["unit"]]
    if "which" in parts:
        return _period(unit, _WHICH[parts["which"]], today)
    count = parts["count"]
    return _back(unit, int(count) if count.isdigit() else _NUMBERS[count], today)


def _period(unit: str, shift: int, today: date) -> Span:
    """Return the day, week, weekend, month or year that is so many away from this one."""
    monday = today - timedelta(today.weekday()) + timedelta(7 * shift)
    match unit:
        case "week":
            return _days(monday, monday + timedelta(7))
        case "weekend":
            return _days(monday + timedelta(4), monday + timedelta(7))
        case "month":
            month = today.year * 12 + today.month - 1 + shift
            return _of_month(month // 12, month % 12 + 1, 0)
        case "year":
            return _days(date(today.year + shift, 1, 1), date(today.year + shift + 1, 1, 1))
        case _:
            return _days(today + timedelta(shift), today + timedelta(shift + 1))


def _back(unit: str, count: int, today: date) -> Span:
    """Return the time so long ago, the wider the longer ago it is."""
    if unit not in {"week", "weekend"}:
        return _period(unit, -count, today)
    day = today - timedelta(7 * count)
    return _days(day - timedelta(3), day + timedelta(4))


def _days(begin: date, end: date) -> Span:
    return (begin.toordinal() - _EPOCH) * DAY, (end.toordinal() - _EPOCH) * DAY
