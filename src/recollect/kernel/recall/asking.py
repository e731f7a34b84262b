"""What a question asks: its words, the times and the people it names, the kind of answer it wants.

The rule: it is read the same in English, German and Spanish, and what is not understood asks for
nothing beyond its words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from recollect.kernel.recall.columns import Columns, KnownNumbers
from recollect.kernel.recall.relations import Ids, Related, holders, related
from recollect.kernel.recall.spans import Times, asked_for, held_once, is_of_time
from recollect.kernel.recall.words import (
    ASKED,
    BE,
    DO,
    MINE,
    OF,
    OURS,
    TITLES,
    VAGUE,
    WHATEVER,
    WHICH,
    asked_stems,
    kin_of,
    language_of,
    relations,
    stems_of,
    telling_words,
)
from recollect.kernel.schema.definitions import SELF
from recollect.kernel.search.tokens import tokens
from recollect.node import dataclass, replace

Names = tuple[tuple[str, ...], ...]

_KINDS: Final = ("how many", "when", "who", "where")


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
    speakers: Ids
    wants: str  # the kind of answer
    concepts: Ids  # whose whole names it holds
    names: frozenset[str]  # the words of those names
    rest: tuple[str, ...]  # its words beside them: what it asks of them
    is_of_strangers: bool  # it names somebody, and nobody whom any text knows
    namesakes: tuple[tuple[int, int], ...] = ()  # a first name that is a thing, and whose it may be
    called: Names = ()  # the names it holds that stand in texts alone
    unlike: Ids = frozenset()  # others who have a word of those names
    beside: tuple[str, Ids] | None = None  # before or after what of these it asks
    demanded: Asking | None = None  # a relation of somebody that no fact tells
    links: Ids = frozenset()  # facts that tell whom it means by a relation
    apart: Ids = frozenset()  # of those concepts, what its own words name
    is_own: bool = False  # it is about who asks
    wanted_of: Names = ()  # what it asks of something, each said by one of some words
    asked: tuple[str, ...] = ()  # all its words, folded
    whole: Names = ()  # the names of two words and more that it holds


CALLED: Final = re.compile(r"\b[A-Z\u00c0-\u00de]\w+(?:\s+[A-Z\u00c0-\u00de]\w+)*")
"""Words written large, one after the other."""


_AMONG: Final = re.compile(r"\s(?:at|in|as|on|bei|im|als|en|como)\s")
"""What stands after whom somebody came before: "before Ann at Acme"."""

_A_LIVING: Final = re.compile(r"\b(?:for|make|earn) (?:a|\w+) living\b", re.IGNORECASE)
_IS_LIKE: Final = re.compile(r"^what(?='s| is| are| was| were)(.*) like(?=\W*$)", re.IGNORECASE)


def in_plain_words(question: str) -> str:
    """Return a question without the idioms that look like one for a home, or for what is liked.

    >>> in_plain_words("What does Ann do for a living?"), in_plain_words("What is Ann like?")
    ('What does Ann do as a job?', 'how is Ann?')
    """
    return _IS_LIKE.sub(r"how\1", _A_LIVING.sub("as a job", question))


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
    concepts = _named(question, columns, number)
    if times.is_any:  # a year is no thing, though some fact ends in one
        concepts = frozenset(
            one for one in concepts if not all(map(is_of_time, _words_of(frozenset([one]), known)))
        )
    asking = ((one, _asking(one, columns, asked_at, number)) for one in askers)
    asker, own = next((one for one in asking if one[1]), (" ".join(askers), Ids()))
    relation = _related(question, concepts, columns, asked_at, number, own)
    times = _of_before(times, asked_at, is_over=relation.is_over, is_known=bool(beside_what))
    apart = concepts - relation.over
    concepts = apart | relation.ends
    speaks_of_self = ASKED["self"].search(question) is not None
    is_led = relation.has_own and not relation.missing
    if askers and (speaks_of_self or not (is_led or MINE.isdisjoint(asked))):
        words += [*tokens(asker), *_words_of(own, known)]
        concepts |= own
    named = tokens(" ".join(names_in(asked, columns, number)))
    names = _words_of(concepts, known).union(named, relation.words)
    names |= {one for one in asked if one.removesuffix("s") in names}  # "Marias Mann"
    heard = [its for one in words if (its := known.named_by_word.get(one))]
    is_heard = any(columns.spoke(its, number) for its in heard)
    called = () if concepts or is_heard else _named_by_texts(question, columns, number)
    names |= {word for name in called for word in name}
    whole = (*called, *(tuple(_words_in(frozenset([one]), known)) for one in concepts))
    unsaid = relation.words | (WHATEVER | TITLES if names else frozenset())
    telling = [one for one in asked if one not in unsaid]
    stems = [_without_names(one, columns, number) for one in asked_stems(" ".join(telling))]
    found = [_asking_word(ways, known, times, names) for ways in stems]
    told = tuple(one for one in found if one.ways or one.kin or one.is_of_time or one.is_cue)
    return UnderstoodQuestion(
        words=_sought(told, columns, number),
        unknown=len(found) - len(told),
        times=times,
        speakers=frozenset(one for its in heard for one in its),
        wants=_wanted(question),
        concepts=concepts,
        names=names,
        rest=tuple(beside(names | times.cues, telling)),
        is_of_strangers=_names_strangers(question, columns, number, bool(concepts or is_heard)),
        namesakes=(*_namesakes(concepts, columns, number),),
        called=called,
        unlike=_unlike(concepts, called, asked, columns, number),
        beside=beside_what,
        demanded=_demanded(relation.missing, asked, known),
        links=relation.links,
        apart=apart,
        is_own=speaks_of_self
        or not (MINE | OURS).isdisjoint(asked)
        or frozenset() < concepts <= own,
        wanted_of=(*_wanted_of(asked, names),),
        asked=tuple(asked),
        whole=tuple(one for one in whole if len(one) > 1 and one[-1] in asked),
    )


_LONG: Final = 40  # words of a question, from which on it tells more than it asks
_GROUP: Final = re.compile(r"(?<!\S)((?:_\S+ ){0,2})((?:(?!_)\S+ )+)(?:(?=_(\S+))|$)")
"""Telling words one after the other, two words before them and one after, which "_" begins."""


def _wanted_of(asked: list[str], names: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Yield what a question asks of something: the last word where it surely is no verb.

    >>> [*_wanted_of(tokens("What is the phone number of Ann's old vet?"), frozenset({"ann"}))]
    [('phone',), ('vet',)]
    """
    telling = frozenset(telling_words(asked) if len(asked) < _LONG else ()) - names - TITLES
    asked = asked[:-1] if OF.issuperset(asked[-1:]) else asked  # "what is it afraid of"
    marked = "".join(f"{one} " if one in telling else f"_{one} " for one in asked)
    is_thing = not BE.isdisjoint(asked[:3])
    for found in _GROUP.finditer(marked):
        before, after = found[1].replace("_", "").split(), found[3] or ""
        is_which = not WHICH.isdisjoint(before[-1:])
        if before[-1:] == ["what"]:
            is_which = after in DO | OF
        if is_which or after in OF | {"s"} or not (OF | MINE | OURS | {"s"}).isdisjoint(before):
            is_last = after in OF or (is_which and after in DO) or (is_thing and not after)
            if group := tuple(one for one in found[2].split() if one not in VAGUE):
                yield group[-1:] if is_last else group


def _wanted(question: str) -> str:
    """Return the kind of answer that a question wants: how many, or what it asks first."""
    found = {name: at.start() for name in _KINDS if (at := ASKED[name].search(question))}
    return "how many" if "how many" in found else min(found, key=found.__getitem__, default="")


def _of_before(times: Times, asked_at: int, *, is_over: bool, is_known: bool) -> Times:
    """Return the times of a question, which asks of what was so if all that it names is over.

    Or if it asks of what was before something, and nobody knows that.
    """
    is_before = times.beside is not None and times.beside[0] == "before" and not is_known
    if times.was and (is_before or (is_over and not times.held)):
        return replace(times, held=(held_once(asked_at),))
    return times


def _related(
    question: str, concepts: Ids, columns: Columns, asked_at: int, number: int, own: Ids
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


def _namesakes(concepts: Ids, columns: Columns, number: int) -> Iterator[tuple[int, int]]:
    """Yield what is called by no more than a first name, and whose it may be: either is named.

    They may be one, for nobody else who lives has that first name.
    """
    known = columns.known
    for concept in concepts & known.concepts.keys():
        first, *others = tokens(known.concepts[concept].name) or [""]
        its = columns.living(known.by_part.get(first, ()), number)
        if others and its == {concept}:
            for one in columns.living(known.called.get(first, ()), number) - {concept}:
                if one in known.concepts and tokens(known.concepts[one].name) == [first]:
                    yield one, concept
        elif not others:  # of several it may be each: who asks learns of which
            for one in its - {concept}:
                if one in known.concepts and tokens(known.concepts[one].name)[:1] == [first]:
                    yield concept, one


def _beside(times: Times, question: str, columns: Columns, number: int) -> tuple[str, Ids] | None:
    """Return before or after what of these a question asks: what is named there alone."""
    if times.beside is None:
        return None
    side, text = times.beside
    for part in (_AMONG.split(text)[0], text):
        ids = _named(part, columns, number) - _named(question.replace(part, ""), columns, number)
        if ids:
            return side, ids
    return None


def beside(names: frozenset[str], words: Sequence[str]) -> list[str]:
    """Return words without those of names, and without the `s` that follows one.

    >>> beside(frozenset({"ann"}), ["ann", "s", "boat"])
    ['boat']
    """
    return [one for one in words if one not in names and one != "s"]


def _words_in(concepts: Ids, known: KnownNumbers) -> list[str]:
    """Return the words of what concepts are called, in order."""
    return tokens(" ".join(known.concepts[one].name for one in concepts if one in known.concepts))


def _words_of(concepts: Ids, known: KnownNumbers) -> frozenset[str]:
    return frozenset(_words_in(concepts, known))


def _without_names(ways: tuple[str, ...], columns: Columns, number: int) -> tuple[str, ...]:
    """Return the stems of a word, in other languages only those that are nobody's name.

    As Spanish *live* would be *liv*, and so Liv.
    """
    return (ways[0], *(one for one in ways[1:] if not _named(one.capitalize(), columns, number)))


def _asking_word(
    ways: tuple[str, ...], known: KnownNumbers, times: Times, names: frozenset[str]
) -> Asking:
    return Asking(
        known.of_stems(ways),
        known.of_stems(kin_of(ways)),
        times.is_any and any(map(is_of_time, ways)),
        any(not set(ways).isdisjoint(stems_of(name)) for name in names),
        any(not set(ways).isdisjoint(stems_of(cue)) for cue in times.cues),
    )


def _demanded(missing: frozenset[str], asked: Iterable[str], known: KnownNumbers) -> Asking | None:
    """Return the words of which what answers must hold one, or one that says what is asked."""
    ways = {one for word in missing for one in stems_of(word)}
    ways |= {one for word in missing.intersection(asked) for one in kin_of(stems_of(word)[:1])}
    return Asking(known.of_stems(ways), (), False, False, False) if missing else None


def _names_strangers(question: str, columns: Columns, number: int, names_others: bool) -> bool:
    """Whether a question holds a name of which no text held a word by a transaction.

    Two words written large are one; a single one too, where something is said to be its, or where
    it does not begin the question and the language writes nothing else large; neither, where the
    question names others. A name whose words are those of several known, or of somebody known and
    of nothing, is that of a stranger.
    """
    is_german, of_stems = language_of(tokens(question)) == "german", columns.known.of_stems
    for found in CALLED.finditer(question):
        words = [one for one in asked_stems(found[0]) if not any(map(is_of_time, one))]
        is_its = tokens(question[found.end() :])[:1] == ["s"]
        is_its &= relations().keys().isdisjoint(tokens(found[0]))
        is_first = not (is_its or tokens(question[: found.start()]))
        is_name = len(words) > 1 or not (is_first or is_german)
        held = [columns.hold(of_stems(one + kin_of(one[:1])), number) for one in words]
        if not names_others and words and is_name and not any(held):
            return True
        if _is_of_nobody(found[0], columns, number, needs_all=is_german or all(held)):
            return True
    return False


def _is_of_nobody(called: str, columns: Columns, number: int, *, needs_all: bool) -> bool:
    """Whether words written large are no name, and some of them are part of a known one's.

    With `needs_all` the first and the last are, of different ones, and no text holds both.
    """
    said = tokens(called)
    telling = telling_words(said)
    words = [one for one in telling if one not in TITLES]
    if not set(said[1:]).issubset(telling):  # no name, but a question all in capitals
        return False
    if len(words) < 2 or _named(called, columns, number):
        return False
    names = [*_parted(words, columns, number)]
    if any(set(words).issubset(name) for name in names):
        return False
    if not needs_all:
        return bool(names)
    ends = words[0] in {one[0] for one in names} and words[-1] in {one[-1] for one in names}
    return ends and not columns.hold_together((words[0], words[-1]), number)


def _parted(words: Sequence[str], columns: Columns, number: int) -> Iterator[list[str]]:
    """Yield the names, of two words and more, of which one is among some, of all who are known."""
    known = columns.known
    yield from (_words_in(frozenset([one]), known) for one in _sharing([words], columns, number))
    speakers = [*known.speakers]
    for one in {its for word in words for its in known.named_by_word.get(word, ())}:
        name = tokens(speakers[one])
        if len(name) > 1 and columns.spoke({one}, number):
            yield name


def _sharing(names: Iterable[Sequence[str]], columns: Columns, number: int) -> Ids:
    """Return those whose first or last name is among the words of others' names."""
    its = (columns.known.by_part.get(word, ()) for name in names for word in name)
    return frozenset(columns.living([row for rows in its for row in rows], number))


def _unlike(concepts: Ids, called: Names, asked: list[str], columns: Columns, number: int) -> Ids:
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
    for name in CALLED.finditer(question):
        words = telling_words([one for one in tokens(name[0]) if one not in TITLES])
        is_first = not tokens(question[: name.start()])
        ways = [columns.known.of_stems(stems_of(one)) for one in words]
        is_alone = len(words) == 1 and (is_first or _sharing([words], columns, number))
        is_name = words and not (is_alone or any(map(is_of_time, words)))
        if is_name and all(columns.hold(one, number) for one in ways):
            found += (tuple(words),)
    return found


def _asking(asker: str, columns: Columns, asked_at: int, number: int) -> Ids:
    """Return the concepts that who asks is, called so with a title or without."""
    own = columns.served(asked_at, number) if asker == SELF else _named(asker, columns, number)
    if asker == SELF and len(own) != 1:
        return frozenset()
    untitled = [one for one in _words_in(own, columns.known) if one not in TITLES]
    return own.union(*names_in(untitled, columns, number).values())


def _named(text: str, columns: Columns, number: int) -> Ids:
    """Return the concepts that a text names, by their whole names or by a first or last word."""
    whole = names_in(tokens(text), columns, number)
    return frozenset().union(*whole.values(), *_by_part(text, whole, columns, number))


def _by_part(
    question: str, whole: Collection[str], columns: Columns, number: int
) -> Iterator[set[int]]:
    """Yield whom or what a question calls by a part of a name that only one of those living has.

    Another word of a name before it makes it that of another: "Maude Finch" is not Harold Finch.
    """

    def called_by(part: str) -> set[int]:
        return columns.living(columns.known.by_part.get(part, ()), number)

    for called in CALLED.finditer(question):
        *before, name = tokens(called[0])
        living = called_by(name) or called_by(name.removesuffix("s"))
        if not living and before and before[-1].endswith("s"):  # "Mareks Frau"
            *before, name = before
            living = called_by(name.removesuffix("s"))
        if len(living) != 1 or any(name in one.split() for one in whole):
            continue
        others = [one for one in telling_words(before) if one not in TITLES]
        if not others or not _words_of(frozenset(living), columns.known).isdisjoint(others):
            yield living


def _sought(told: tuple[Asking, ...], columns: Columns, number: int) -> tuple[Asking, ...]:
    """Return words without those that name speakers, where a text holds any of the others."""
    left = tuple(one for one in told if not _are_speaker(one.ways, columns, number))
    held = (word for one in left for word in one.ways + one.kin)
    is_left = any(one.is_of_time or one.is_cue for one in left) or columns.hold(held, number)
    return left if is_left else told


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
        longest = known.begins.get(words[at], 0)  # of most words it is 0
        for many in range(min(longest, len(words) - at), 0, -1):
            name = " ".join(words[at : at + many])
            rows = called.get(name)
            if rows and (ids := columns.living(rows, number)):
                found[name] = ids
                at += many - 1
                break
        at += 1
    return found
