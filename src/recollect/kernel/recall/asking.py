"""What a question asks: its words, the times and the people it names, the kind of answer it wants.

The rule: it is read the same in English, German and Spanish, and what is not understood asks for
nothing beyond its words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from recollect.kernel.recall.columns import (
    SAYS_HOW_MANY,
    SAYS_WHEN,
    SAYS_WHERE,
    SAYS_WHO,
    Columns,
    KnownNumbers,
)
from recollect.kernel.recall.relations import Related, holders, related
from recollect.kernel.recall.spans import Times, asked_for, held_once, is_of_time
from recollect.kernel.recall.words import (
    ASKED,
    LANGUAGES,
    MINE,
    OURS,
    TITLES,
    WHATEVER,
    asked_stems,
    kin_of,
    language_of,
    relations,
    stem,
    telling_words,
)
from recollect.kernel.schema.definitions import SELF
from recollect.kernel.search.tokens import tokens
from recollect.node import dataclass, replace

Names = tuple[tuple[str, ...], ...]

_KINDS: Final = {"how many": SAYS_HOW_MANY, "when": SAYS_WHEN, "who": SAYS_WHO, "where": SAYS_WHERE}


@dataclass(frozen=True, slots=True)
class Asking:
    """A word of a question, as the numbers of stems."""

    ways: tuple[int, ...]  # its own
    kin: tuple[int, ...]  # of everyday words that say the same
    is_of_time: bool  # and the question names a time
    is_of_name: bool  # of whom or what the question is about
    is_cue: bool  # and only says which side of a time is meant


@dataclass(frozen=True, slots=True)
class UnderstoodQuestion:
    """A question as recall understands it."""

    words: tuple[Asking, ...]  # the telling ones that some text may hold
    unknown: int  # telling words that no text holds
    times: Times
    speakers: frozenset[int]
    wants: int  # flags of the kind of answer
    wanted: str  # the same in words
    concepts: frozenset[int]  # whose whole names it holds
    names: frozenset[str]  # the words of those names
    rest: tuple[str, ...]  # its words beside them: what it asks of them
    is_of_strangers: bool  # it names somebody, and nobody whom any text knows
    namesakes: tuple[tuple[int, int], ...] = ()  # a first name that is a thing, and whose it may be
    called: Names = ()  # the names it holds that stand in texts alone
    unlike: frozenset[int] = frozenset()  # others who have a word of those names
    beside: tuple[str, frozenset[int]] | None = None  # before or after what of these it asks
    demanded: Asking | None = None  # a relation of somebody that no fact tells
    links: frozenset[int] = frozenset()  # facts that tell whom it means by a relation
    apart: frozenset[int] = frozenset()  # of those concepts, what its own words name
    is_own: bool = False  # who asks speaks of themselves


_CALLED: Final = re.compile(r"\b[A-Z\u00c0-\u00de]\w+(?:\s+[A-Z\u00c0-\u00de]\w+)*")
"""Words written large, one after the other."""


_FOR_A_LIVING: Final = re.compile(r"\bfor a living\b", re.IGNORECASE)


def in_plain_words(question: str) -> str:
    """Return a question without the idiom that asks for work, and looks like one for a home.

    >>> in_plain_words("What does Ann do for a living?")
    'What does Ann do as a job?'
    """
    return _FOR_A_LIVING.sub("as a job", question)


_SELF: Final = re.compile(
    r"\b(?:I|[Mm]ine|[Ii]ch|[Yy]o|(?:[Dd]ónde|[Cc]uándo|[Cc]ómo|[Qq]uién) (?:me )?"
    r"(?!vino|hizo|dijo|tuvo|estuvo|puso|pudo|supo|quiso|trajo|condujo)\w+(?:[oéí]|oy))\b"
)
"""What people call themselves; *me* is left out, for who says "tell me" asks of others.

A Spanish verb says it by its end.
"""


def understood(
    question: str, columns: Columns, asked_at: int, number: int, askers: Sequence[str]
) -> UnderstoodQuestion:
    """Return what a question asks of a group that knows some words and names at a transaction.

    Where it speaks of "my", it is about the first of `askers` that is known, too; `$self` stands
    for whom the agent serves, if that is one.
    """
    known, asked = columns.known, tokens(question)
    words = list(asked)
    times = asked_for(question, asked_at)
    beside_what = _beside(times, question, columns, number)
    if times.beside and times.beside[0] == "before" and times.was and not beside_what:
        times = replace(times, held=(held_once(asked_at),))  # before what, nobody knows
    concepts = _named(question, columns, number)
    if times.is_any:  # a year is no thing, though some fact ends in one
        concepts = frozenset(one for one in concepts if not _is_time(known, one))
    asking = ((one, _asking(one, columns, asked_at, number)) for one in askers)
    asker, own = next((one for one in asking if one[1]), (" ".join(askers), frozenset[int]()))
    relation = _related(question, concepts, columns, asked_at, number, own)
    apart = concepts - relation.over
    concepts = apart | relation.ends
    speaks_of_self = _SELF.search(question) is not None
    if askers and (speaks_of_self or not (relation.has_own or MINE.isdisjoint(asked))):
        words += [*tokens(asker), *_words_of(own, known)]
        concepts |= own
    names = _words_of(concepts, known).union(tokens(" ".join(names_in(asked, columns, number))))
    names |= relation.words
    heard = [its for one in words if (its := known.named_by_word.get(one))]
    is_heard = any(columns.spoke(its, number) for its in heard)
    called = () if concepts or is_heard else _named_by_texts(question, columns, number)
    names |= {word for name in called for word in name}
    unsaid = relation.words | (WHATEVER if names else frozenset())
    telling = [one for one in asked if one not in unsaid]
    stems = asked_stems(" ".join(telling))
    found = [_asking_word(ways, known, times, names) for ways in stems]
    told = tuple(one for one in found if one.ways or one.kin or one.is_of_time or one.is_cue)
    wanted = _wanted(question)
    left = [one for one in told if not _are_speaker(one.ways, columns, number)]
    is_left = any(one.is_of_time or one.is_cue for one in left) or columns.hold(
        (word for one in left for word in one.ways + one.kin), number
    )
    return UnderstoodQuestion(
        words=tuple(left) if is_left else told,
        unknown=len(found) - len(told),
        times=times,
        speakers=frozenset(one for its in heard for one in its),
        wants=sum({flag for flag, _ in wanted}),
        wanted=", ".join(name for _, name in wanted),
        concepts=concepts,
        names=names,
        rest=tuple(beside(names | times.cues, telling)),
        is_of_strangers=not (concepts or is_heard) and _names_strangers(question, columns, number),
        namesakes=(*_namesakes(concepts, columns, number),),
        called=called,
        unlike=_unlike(concepts, called, asked, columns, number),
        beside=beside_what,
        demanded=_demanded(relation.missing, known),
        links=relation.links,
        apart=apart,
        is_own=speaks_of_self or not (MINE | OURS).isdisjoint(asked),
    )


def _wanted(question: str) -> list[tuple[int, str]]:
    """Return the kinds of answer that a question wants; how many asks for nothing else."""
    found = [(flag, name) for name, flag in _KINDS.items() if ASKED[name].search(question)]
    return found[:1] if found and found[0][0] == SAYS_HOW_MANY else found


def _related(
    question: str,
    concepts: frozenset[int],
    columns: Columns,
    asked_at: int,
    number: int,
    own: frozenset[int],
) -> Related:
    """Return whom a question means by relations, and who holds a role that it names."""
    asked, found = tokens(question), Related()
    if "s" in asked or not relations().keys().isdisjoint(asked):
        named = partial(_named, columns=columns, number=number)
        found = related(question, columns, asked_at, number, named, own)
    its = concepts - found.over | found.ends
    if its and not _words_of(its, columns.known).issuperset(asked):  # it asks something of them
        who, links = holders(its, columns, asked_at, number)
        found = replace(found, ends=found.ends | who, links=found.links | links)
    return found


def _namesakes(
    concepts: frozenset[int], columns: Columns, number: int
) -> Iterator[tuple[int, int]]:
    """Yield what is called by no more than the first name of one that is named, and that one.

    They may be one, for nobody else who lives has that first name.
    """
    known = columns.known
    for concept in concepts & known.concepts.keys():
        first, *others = tokens(known.concepts[concept].name) or [""]
        if others and columns.living(known.by_part.get(first, ()), number) == {concept}:
            for one in columns.living(known.called.get(first, ()), number) - {concept}:
                if one in known.concepts and tokens(known.concepts[one].name) == [first]:
                    yield one, concept


def _beside(
    times: Times, question: str, columns: Columns, number: int
) -> tuple[str, frozenset[int]] | None:
    """Return before or after what of these a question asks: what is named there alone."""
    if times.beside is None:
        return None
    side, text = times.beside
    ids = _named(text, columns, number) - _named(question.replace(text, ""), columns, number)
    return (side, ids) if ids else None


def beside(names: frozenset[str], words: Sequence[str]) -> list[str]:
    """Return words without those of names, and without the `s` that follows one.

    >>> beside(frozenset({"ann"}), ["ann", "s", "boat"])
    ['boat']
    """
    return [one for one in words if one not in names and one != "s"]


def _is_time(known: KnownNumbers, concept: int) -> bool:
    """Whether what a concept is called is no more than a time."""
    return concept in known.concepts and all(
        map(is_of_time, _words_of(frozenset({concept}), known))
    )


def _words_of(concepts: frozenset[int], known: KnownNumbers) -> frozenset[str]:
    """Return the words of what concepts are called."""
    called = (known.concepts[one].name for one in concepts if one in known.concepts)
    return frozenset(tokens(" ".join(called)))


def _asking_word(
    ways: tuple[str, ...], known: KnownNumbers, times: Times, names: frozenset[str]
) -> Asking:
    return Asking(
        _numbers(ways, known),
        _numbers(kin_of(ways), known),
        times.is_any and any(map(is_of_time, ways)),
        any(stem(name, language) in ways for name in names for language in LANGUAGES),
        any(stem(cue, language) in ways for cue in times.cues for language in LANGUAGES),
    )


def _demanded(missing: frozenset[str], known: KnownNumbers) -> Asking | None:
    """Return the words of which what answers must hold one."""
    ways = {stem(one, language) for one in missing for language in LANGUAGES}
    return Asking(_numbers(tuple(ways), known), (), False, False, False) if missing else None


def _names_strangers(question: str, columns: Columns, number: int) -> bool:
    """Whether a question holds a name of which no text held a word by a transaction.

    Two words written large are one; a single one too, where something is said to be its, or where
    it does not begin the question and the language writes nothing else large. Of a name of which
    one word is part of the name of somebody known, each other word must be held, for it is not
    theirs.
    """
    is_german = language_of(tokens(question)) == "german"
    for found in _CALLED.finditer(question):
        words = [one for one in asked_stems(found[0]) if not any(map(is_of_time, one))]
        is_its = tokens(question[found.end() :])[:1] == ["s"]
        is_its &= relations().keys().isdisjoint(tokens(found[0]))
        is_first = not (is_its or tokens(question[: found.start()]))
        is_name = len(words) > 1 or not (is_first or is_german)
        held = [columns.hold(_numbers(one + kin_of(one), columns.known), number) for one in words]
        if words and is_name and not any(held):
            return True
        if not (is_german or all(held)) and _sharing([tokens(found[0])], columns, number):
            return True
    return False


def _sharing(names: Iterable[Sequence[str]], columns: Columns, number: int) -> frozenset[int]:
    """Return those whose first or last name is among the words of others' names."""
    its = (columns.known.by_part.get(word, ()) for name in names for word in name)
    return frozenset(columns.living([row for rows in its for row in rows], number))


def _unlike(
    concepts: frozenset[int], called: Names, asked: list[str], columns: Columns, number: int
) -> frozenset[int]:
    """Return others with the first name of what is named, or any word of a name in texts alone."""
    known = columns.known.concepts
    names = [*called, *(tuple(tokens(known[one].name)) for one in concepts & known.keys())]
    firsts = {one[0] for one in names if len(one) > 1}
    its = {one: tokens(known[one].name)[0] for one in _sharing(names, columns, number) - concepts}
    is_any = bool(called) and relations().keys().isdisjoint(asked)
    return frozenset(one for one, first in its.items() if is_any or first in firsts)


def _named_by_texts(question: str, columns: Columns, number: int) -> Names:
    """Return the names in a question, folded, of which texts held each word by a transaction."""
    if language_of(tokens(question)) == "german":
        return ()  # which writes what is no name large, too
    found: Names = ()
    for name in _CALLED.finditer(question):
        words = telling_words([one for one in tokens(name[0]) if one not in TITLES])
        is_first = not tokens(question[: name.start()])
        stems = (tuple(stem(one, language) for language in LANGUAGES) for one in words)
        ways = [_numbers(one, columns.known) for one in stems]
        is_alone = len(words) == 1 and (is_first or _sharing([words], columns, number))
        is_name = words and not (is_alone or any(map(is_of_time, words)))
        if is_name and all(columns.hold(one, number) for one in ways):
            found += (tuple(words),)
    return found


def _asking(asker: str, columns: Columns, asked_at: int, number: int) -> frozenset[int]:
    """Return the concepts that who asks is."""
    if asker != SELF:
        return _named(asker, columns, number)
    served = columns.served(asked_at, number)
    return served if len(served) == 1 else frozenset()


def _named(text: str, columns: Columns, number: int) -> frozenset[int]:
    """Return the concepts that a text names, by their whole names or by a first or last word."""
    whole = names_in(tokens(text), columns, number)
    return frozenset().union(*whole.values(), *_by_part(text, whole, columns, number))


def _by_part(
    question: str, whole: Collection[str], columns: Columns, number: int
) -> Iterator[set[int]]:
    """Yield whom or what a question calls by a part of a name that only one of those living has.

    Another word of a name before it makes it that of another: "Maude Finch" is not Harold Finch.
    """
    by_part = columns.known.by_part
    for called in _CALLED.finditer(question):
        *before, name = tokens(called[0])
        its = by_part.get(name) or by_part.get(name.removesuffix("s"))
        if not its or any(name in one.split() for one in whole):
            continue
        if len(living := columns.living(its, number)) != 1:
            continue
        others = [one for one in telling_words(before) if one not in TITLES]
        if not others or not _words_of(frozenset(living), columns.known).isdisjoint(others):
            yield living


def _numbers(stems: tuple[str, ...], known: KnownNumbers) -> tuple[int, ...]:
    return tuple(known.words[one] for one in stems if one in known.words)


def _are_speaker(ways: tuple[int, ...], columns: Columns, number: int) -> bool:
    """Whether a word names a speaker: a turn with it is one in which another speaks to them."""
    named = (columns.known.speaker_stems.get(one) for one in ways)
    return any(columns.spoke(one, number) for one in named if one)


def names_in(
    words: list[str], columns: Columns, number: int, called: Mapping[str, list[int]] | None = None
) -> dict[str, set[int]]:
    """Return the whole names of concepts among words, inside no longer name, and whose they were.

    They are those that somebody had at a transaction; or others by which rows are `called`.
    """
    found: dict[str, set[int]] = {}
    known = columns.known
    called = known.called if called is None else called
    at = 0
    while at < len(words):
        for many in range(min(known.longest_name, len(words) - at), 0, -1):
            name = " ".join(words[at : at + many])
            rows = called.get(name)
            if rows and (ids := columns.living(rows, number)):
                found[name] = ids
                at += many - 1
                break
        at += 1
    return found
