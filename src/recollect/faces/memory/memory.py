"""Memory: the front door for people who write agents.

The rule: one call is one transaction, all or nothing, and the same call twice changes nothing more.
It stands above the other faces and uses what they offer; what one of them wrote, it finds. A group
that nothing was loaded into learns which predicates have one object at a time, once, as it is
opened; what a group says of them afterwards stands.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import wraps
from os import PathLike
from types import NoneType, UnionType
from typing import Any, Final, ParamSpec, Self, TypeVar, get_args, get_origin, get_type_hints

from recollect.closing import Closing
from recollect.errors import Hint, Notice, ToDo, join, not_among, refused, undo_of
from recollect.faces.claims import (
    ACTIVE,
    EMPTY_EVIDENCE,
    Actor,
    AttentionQueue,
    Claim,
    EvidenceRef,
    Writer,
    evidence_from,
    one_claim,
)
from recollect.faces.kinds import open_memory
from recollect.faces.kip import begin_life
from recollect.faces.memory.briefing import MAX_TOKENS, brief_of
from recollect.faces.memory.correcting import CORRECTING, beside, written
from recollect.faces.memory.explaining import why_of
from recollect.faces.memory.forgetting import (
    Selection,
    Way,
    episodes_of,
    forget_all,
    meant_of,
    told_along,
    told_of_past,
)
from recollect.faces.memory.listing import MOST, every_one, listed
from recollect.faces.memory.messages import id_of, keep_messages
from recollect.faces.memory.model import (
    BECAUSE,
    WITHDRAWN,
    Brief,
    Corrected,
    Effect,
    Forgotten,
    Listed,
    MemoryRecord,
    RecallAnswer,
    Remembered,
    Why,
    made_record,
    recalled,
    records_named,
    records_of,
)
from recollect.faces.memory.naming import ME, SELF, called_before, element_named, is_me, own_concept
from recollect.faces.memory.told import ToldFact, changes_of, checked_confidence, read_facts
from recollect.faces.memory.undoing import (
    changes_back,
    merge_again,
    reinstate,
    taken_back_too,
    way_back,
)
from recollect.faces.operations import Caller, Operations
from recollect.kernel import Nexus, RecallQuestion, is_wordless, read_as_of, tokens
from recollect.model import AsOf, BatchReport, Link, Put, Value

LIMIT: Final = 10

Refs = list[EvidenceRef]
Records = list[MemoryRecord]
Notices = list[Notice]
"""Lists, since the memory has a method of that name."""

_FORGOTTEN: Final = ("fact", "claim", "episode", "piece")
"""What is forgotten by a question: a concept takes all that is told of it along, so by id alone."""


_OF_TWO_NAMES: Final = ("same_as", "also_known_as", "known_as", "aka", "alias", "nickname")
"""Predicates of facts that say what two names say of one thing: the object is the other name."""

_OF_A_CLAIM: Final = ("project", "scope_type", "scope_id", "domain", "tags")
"""What a claim is about, which one that supersedes it is about too."""


P = ParamSpec("P")
R = TypeVar("R")

_KINDS: Final[Mapping[object, str]] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    Sequence: "a list",
    Mapping: "an object",
}
"""What an argument may be, whatever the caller's types say."""


def checked(method: Callable[P, R]) -> Callable[P, R]:
    """Return a method that raises INVALID_ARGUMENT for an argument of another kind."""
    hints = get_type_hints(method)
    _, *names = inspect.signature(method).parameters

    @wraps(method)
    def with_checks(*args: P.args, **given: P.kwargs) -> R:
        for name, value in {**dict(zip(names, args[1:], strict=False)), **given}.items():
            if name not in names:
                raise not_among(f"{method.__name__} takes no {name}", name, names)
            _check(name, value, hints.get(name))
        return method(*args, **given)

    return with_checks


def _check(name: str, value: object, allowed: object) -> None:
    """Check a value and its members; what may be of several kinds is left to who reads it."""
    forms = get_args(allowed) if isinstance(allowed, UnionType) else (allowed,)
    form, *others = [one for one in forms if one is not NoneType]
    kind, of = get_origin(form) or form, get_args(form)[:1]
    several = others or isinstance((*of, None)[0], UnionType)
    if several or kind not in _KINDS or (value is None and NoneType in forms):
        return
    never = {Sequence: str, int: bool, float: bool}.get(kind, ())  # true is no number
    if not isinstance(value, int | float if kind is float else kind) or isinstance(value, never):
        hint = f"pass {name} as {_KINDS[kind]}"
        if kind is Sequence and isinstance(value, str | Mapping):
            hint = f"pass {name}=[{json.dumps(value, ensure_ascii=False, default=str)}]"
        raise refused(f"{name} is not {_KINDS[kind]}", hint)
    for at, one in enumerate(value if isinstance(value, Sequence) and kind is Sequence else ()):
        _check(f"{name}[{at}]", one, *of)


class Memory(Closing):
    """What one actor remembers in one group of a memory.

    `actor` is who acts; with `is_person` a text without evidence is that person's own word, else
    it is refused, for what an agent says must rest on something. `close` ends what the face
    began, and the memory only if `recollect.memory` opened it.

    >>> import recollect
    >>> with recollect.memory(":memory:") as memory:
    ...     fact = {"subject": "Maria", "predicate": "works_at", "object": "Siemens"}
    ...     _ = memory.remember(facts=[fact])
    ...     _ = memory.remember(facts=[{**fact, "object": "BMW"}])
    ...     [str(one) for one in memory.list(about="Maria").memories if one.kind == "fact"]
    ['Maria works at BMW']
    """

    def __init__(
        self,
        nexus: Nexus,
        *,
        actor: str | None = None,
        is_person: bool = False,
        operations: Operations | None = None,
    ) -> None:
        self.nexus = nexus
        self.actor = Actor("user" if is_person else "agent", actor)
        self.is_person = is_person
        self._given = operations
        self._own: Operations | None = None
        self._is_owner = False

    @classmethod
    def open(
        cls, nexus: Nexus, group: str, *, actor: str | None = None, is_person: bool = False
    ) -> Self:
        """Return the memory of a group; closing it closes the nexus too."""
        memory = cls(nexus.group(group), actor=actor, is_person=is_person)
        memory._is_owner = True
        return memory

    @checked
    def remember(
        self,
        text: str | None = None,
        *,
        facts: Sequence[Mapping[str, Any]] | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        evidence: Sequence[Mapping[str, Any] | EvidenceRef] | None = None,
        confidence: float | None = None,
    ) -> Remembered:
        """Keep a claim, facts, messages, or all of them, in one transaction.

        `text` is one claim and rests on `evidence`. A fact is `{"subject", "predicate", "object",
        "text", "valid_at", "invalid_at", "source", "confidence", "replaces"}`, the last six
        optional; a new fact of a predicate that has one object at a time ends the old one, and
        `replaces` ends any. A message is `{"role_type", "role", "content", "timestamp"}`, where
        `role_type` is `user`, and `timestamp` that of the message before or now, unless given.
        INVALID_ARGUMENT for nothing to remember, for a claim without evidence, and for what cannot
        be read: nothing is kept then, but of a claim a record that it was refused.
        """
        told = read_facts(facts) if facts else []
        share = checked_confidence(confidence, "confidence")
        if text is None and not told and not messages:
            raise refused(
                "there is nothing to remember",
                'pass facts: [{"subject", "predicate", "object"}], a text with evidence, '
                "or messages",
            )
        if text is None and evidence:
            raise refused(
                "evidence is given without the text of a claim",
                "pass text too; a fact takes its source in its member source",
            )
        refs = [] if text is None else self._evidence(text, evidence)
        answer = Remembered()
        with self.nexus.transaction() if told or messages else nullcontext():
            if text is not None:
                claim, told_again = self._claim(text, refs, share), Notices()
                if claim.standing == WITHDRAWN:
                    back = reinstate(self.nexus, claim, self.actor)
                    message, claim = "the claim was withdrawn, and counts again", back.memory
                    told_again = [Notice("counts_again", message, back.undo)]
                told_again += _stays(claim, share)
                answer = replace(answer, claim=claim, warnings=tuple(told_again))
            if told:
                answer = self._keep_facts(told, answer)
            if messages:
                ids, number = keep_messages(
                    self.nexus, self._operations(), messages, self.actor.actor_id
                )
                answer = replace(answer, episodes=ids, transaction=number or answer.transaction)
        return answer

    @checked
    def recall(
        self,
        question: str,
        *,
        limit: int = LIMIT,
        kinds: Sequence[str] | None = None,
        max_tokens: int | None = None,
        as_of: AsOf | Mapping[str, Any] | None = None,
        past: bool = False,
        threshold: float | None = None,
        cursor: str | None = None,
    ) -> RecallAnswer:
        """Return what a question in plain words is about, best first.

        `as_of` is a point in time as KIP's requests name it, `kinds` keeps some kinds, and
        `past` brings what has ended or was corrected too, at half its score. An empty answer has
        the nearest miss. Of the next page `cursor` is the one of the page before.
        """
        moment, asker = read_as_of(as_of), self._asker()
        asked = RecallQuestion(
            question, limit, kinds, max_tokens, moment, past, threshold, cursor, asker
        )
        return recalled(self.nexus, asked)

    @checked
    def correct(
        self,
        id: str,
        *,
        text: str | None = None,
        object: str | bool | float | Mapping[str, Any] | None = None,
        valid_at: str | None = None,
        invalid_at: str | None = None,
        confidence: float | None = None,
        source: str | None = None,
        attributes: Mapping[str, Value] | None = None,
        same_as: str | None = None,
        evidence: Sequence[Mapping[str, Any] | EvidenceRef] | None = None,
        reason: str | None = None,
    ) -> Corrected:
        """Put a memory right: what is said anew stands, what is left out stays as it was.

        A fact takes another object, text, time, source or confidence; what it said before is
        believed no longer, and the past keeps it. A claim takes another text, which rests on
        evidence and supersedes it. A concept takes attributes, or is told to be the `same_as`
        another, by its name or id, and what is told of both is that one's. A piece takes another
        text. `why` shows the reason. NOT_FOUND for an id that no living memory has.
        """
        before = self._record(id)
        given = {
            "text": text,
            "object": object,
            "valid_at": valid_at,
            "invalid_at": invalid_at,
            "confidence": confidence,
            "source": source,
            "attributes": attributes,
            "same_as": same_as,
        }
        said = {key: value for key, value in given.items() if value is not None}
        if not said:
            raise refused("nothing is corrected", "say what is right, such as object")
        with self.nexus.transaction():
            if reason is not None:
                put = Put(before.id, metadata={BECAUSE: reason})
                self.nexus.write([put], actor=self.actor.actor_id)
            if before.kind == "claim":
                return self._correct_claim(before, said, evidence)
            if (put_right := CORRECTING.get(before.kind)) is not None:
                return put_right(self.nexus, before, said, self.actor)
        raise refused(
            f"{before.kind}s are not corrected here",
            "what came in stays as it came in; correct what was learnt from it",
        )

    @checked
    def undo(self, id: str) -> Corrected:
        """Take back what was done last to a memory: a correction, an end, a withdrawal, a merge.

        Nothing leaves the past. A claim that was withdrawn counts as verified then, for what is
        disputed becomes nothing else; what another was corrected to is told anew as it was before,
        on what that rested on. INVALID_ARGUMENT where nothing was done, and of what came in; what
        was erased is not there: NOT_FOUND.
        """
        before = self._record(id, closed=True)
        with self.nexus.transaction():
            if before.standing == WITHDRAWN and before.kind == "claim":
                return reinstate(self.nexus, before, self.actor)
            claim = one_claim(self.nexus, before.id) if before.status in ACTIVE else None
            old = one_claim(self.nexus, claim.supersedes) if claim and claim.supersedes else None
            if old is not None:
                said = {"text": old.text, "confidence": old.confidence}
                return self._correct_claim(before, said, old.evidence)
            back = changes_back(self.nexus, before.id)
            again = merge_again(self.nexus, back.changes[0], before.id)
            done = written(self.nexus, back.changes, before, self.actor, back.stands)
            told = (*done.warnings, *taken_back_too(self.nexus, done, back.at))
            undo = again or way_back(self.nexus, done.memory.id)
            return replace(done, undo=undo, warnings=told)

    @checked
    def forget(
        self,
        what: str | None = None,
        *,
        id: str | None = None,
        effect: Effect = "withdraw",
        at: str | None = None,
        reason: str | None = None,
        source: str | None = None,
        session: str | None = None,
        since: str | None = None,
        until: str | None = None,
        happened_since: str | None = None,
        happened_until: str | None = None,
        limit: int = LIMIT,
        dry_run: bool | None = None,
    ) -> Forgotten:
        """Forget one memory by its id, or what a question, a source, a session or a time names.

        A whole id in the place of the question is an id.
        `end`: true no longer (from `at`, else now), and it was until then. `withdraw`: not to be
        believed, and the past keeps it. `erase`: gone, from the past too, which nothing undoes.
        By anything but an id it is a dry run unless `dry_run=False`, and at most `limit` go.
        `since` and `until` are about when the memory was told of it; `happened_since` and
        `happened_until` about when it was said, or when what a fact says began.
        """
        if id is None and what is not None and is_wordless(what):
            what, id = None, what
        way = Way.read(effect, at, reason)
        times = since, until, happened_since, happened_until
        if (id is None) == all(one is None for one in (what, source, session, *times)):
            raise refused(
                "it is not said what to forget" if id is None else "an id is given with a question",
                "pass an id, or a question in plain words",
            )
        past: Records = []
        along: tuple[Notice, ...] = ()
        if id is not None:
            records = [self._record(id, closed=way.effect == "erase")]
            along = told_along(self.nexus, records[0], id, way)
        else:
            episodes = None if session is None else episodes_of(self.nexus, session)
            chosen = Selection(source, episodes, *times)
            notices = Notices()
            found = self._candidates(what, limit, notices)
            records = chosen.first(limit, way.fitting(found))
            along = tuple(notices)
            if what is not None and way.effect != "end":
                found = self._candidates(what, limit, [], past=True)
                past = chosen.first(limit, way.fitting(found))
        only_asked = what if source is session is None and not any(times) else None
        is_dry_run = id is None if dry_run is None else dry_run
        done = forget_all(self.nexus, records, way, self.actor, only_asked, is_dry_run=is_dry_run)
        own = {one.id for one in done.memories}
        left = told_of_past((one for one in past if one.id not in own), way.effect)
        return replace(done, warnings=along + done.warnings + left)

    @checked
    def list(
        self,
        kind: str | None = None,
        *,
        about: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
        past: bool = False,
    ) -> Listed:
        """Return memories, the newest first: of a kind, or about a thing by its name or id.

        What has ended is left out without `past`. A cursor leads on to the page that follows.
        """
        me = None if about is None else own_concept(self.nexus, about, self._asker())
        found = listed(self.nexus, kind, me.id if me else about, limit, cursor, past=past)
        before = called_before(self.nexus, me, about) if me and about else ()
        return replace(found, warnings=(*found.warnings, *before))

    @checked
    def why(self, id: str, *, limit: int = 10, cursor: str | None = None) -> Why:
        """Return one memory with what it rests on and what became of it, oldest first."""
        return why_of(self.nexus, id, limit, cursor)

    @checked
    def brief(
        self, topic: str | None = None, *, max_tokens: int = MAX_TOKENS, since: str | None = None
    ) -> Brief:
        """Return what to know at the start of a session, in words, in about `max_tokens`.

        `topic` is a name or a question; `since` is when the last session was: what changed.
        """
        me = None if topic is None else own_concept(self.nexus, topic, self._asker())
        topic = topic if me is None else me.name
        return brief_of(self.nexus, topic, max_tokens, since, self.actor.actor_id)

    def close(self) -> None:
        """End the worker that messages began; close the nexus too if it was opened for this."""
        if self._own is not None:
            self._own.close()
        if self._is_owner:
            self.nexus.close()

    def _asker(self) -> tuple[str, ...]:
        """Return who says "my": of a person themselves first, of an agent whom it serves."""
        own = () if self.actor.actor_id is None else (self.actor.actor_id,)
        return (*own, SELF) if self.is_person else (SELF, *own)

    def _candidates(
        self, what: str | None, limit: int, notices: Notices, *, past: bool = False
    ) -> Iterator[MemoryRecord]:
        """Yield what a question means among what stands, or of the past alone; without it, all."""
        if what is not None:
            found = self.nexus.recall(
                what, limit=limit, kinds=_FORGOTTEN, past=past, asker=self._asker()
            )
            notices += found.notices
            meant = meant_of([one for one in found.memories if one.is_past is past])
            told = [records_of(self.nexus, [one.element, *one.others]) for one in meant]
            said = [one for one in told if tokens(what) in (tokens(each.text) for each in one)]
            for one in said or told:  # what is said word for word is meant, and no other
                yield from one
            return
        for kind in _FORGOTTEN:
            yield from every_one(self.nexus, kind, MOST, past=True)

    def _record(self, identifier: str, *, closed: bool = False) -> MemoryRecord:
        (record,) = records_of(self.nexus, [element_named(self.nexus, identifier, closed=closed)])
        return record

    def _evidence(self, text: str, given: Sequence[Mapping[str, Any] | EvidenceRef] | None) -> Refs:
        """Return what a claim rests on; a person's word is evidence of itself."""
        if given:
            are_many = isinstance(given, list | tuple)
            told = [one for one in given if not isinstance(one, EvidenceRef)] if are_many else given
            read = iter(evidence_from(told))
            return [one if isinstance(one, EvidenceRef) else next(read) for one in given]
        if self.is_person:
            return [EvidenceRef(kind="human_assertion", id=self.actor.actor_id)]
        fingerprint = AttentionQueue(self.nexus).reject(text, self.actor)
        raise refused(
            "a claim has no evidence: only that it was refused is kept",
            'pass evidence: [{"kind": "user_statement", "detail": "what the user said"}]',
            details={"reason_code": EMPTY_EVIDENCE, "fingerprint": fingerprint},
        )

    def _claim(
        self, text: str, refs: Refs, confidence: float | None, old: Claim | None = None
    ) -> MemoryRecord:
        """Keep a claim under an id derived from its content, so that it is kept once.

        One that supersedes another is about the same: of its project, scope, domain and tags.
        """
        wire = [replace(one, fetched_at=None) for one in refs]
        identifier = id_of(self.nexus.group_name, text, repr(wire), old and old.id)
        claim = Claim(
            text,
            refs,
            confidence=1.0 if confidence is None else confidence,
            id=identifier,
            actor_type=self.actor.actor_type,
            actor_id=self.actor.actor_id,
        )
        if old is not None:
            kept = {name: getattr(old, name) for name in _OF_A_CLAIM}
            claim = replace(claim, supersedes=old.id, **kept)
        return _kept(self.nexus, claim, self.actor)

    def _keep_facts(self, told: Sequence[ToldFact], answer: Remembered) -> Remembered:
        begin_life(self.nexus, actor=self.actor.actor_id)
        made, puts = changes_of(self.nexus, told, self._asker())
        written = self.nexus.write([*made, *puts], actor=self.actor.actor_id)
        report = written.only(BatchReport)
        strange = Notices(self._who_is_me(told))
        told_now = report.ids[len(made) :]
        # One of them may end where what is known begins, or begin where it was not known to.
        ended = [one for one in report.ended if one.id not in told_now]
        facts = records_named(self.nexus, told_now)
        strange += _two_names(self.nexus, facts)
        return replace(
            answer,
            facts=facts,
            ended=beside(self.nexus, ended),
            also_holds=beside(self.nexus, report.also_holds),
            warnings=(*answer.warnings, *strange, *written.notices),
            transaction=written.transaction,
        )

    def _who_is_me(self, told: Sequence[ToldFact]) -> Iterator[Notice]:
        """Yield what is to be known of those who are called "me", or are told to be."""
        ends = [end for one in told for end in (one.subject, one.object)]
        named = [one.name for one in ends if one.type is None and is_me(one.name)]
        is_told = any(one.predicate == "serves" and one.subject.name == SELF for one in told)
        for name in filter(None, dict.fromkeys((*named, *(ME if is_told else ())))):
            if (me := own_concept(self.nexus, name, self._asker())) is not None:
                yield from called_before(self.nexus, me, name)
            elif name in named:
                yield _nobody(name)

    def _operations(self) -> Operations:
        if self._given is not None:
            return self._given
        if self._own is None:
            self._own = Operations(self.nexus, caller=Caller(name=self.actor.actor_id))
        return self._own

    def _correct_claim(
        self,
        before: MemoryRecord,
        said: Mapping[str, Any],
        evidence: Sequence[Mapping[str, Any] | EvidenceRef] | None,
    ) -> Corrected:
        if said.keys() - {"text", "confidence"} or "text" not in said:
            raise refused(
                "a claim is corrected by another text", "say its text, with evidence for it"
            )
        if before.status not in ACTIVE:
            raise refused(
                f"the claim is {before.status} already",
                "remember what is right as a claim of its own",
            )
        text, refs = str(said["text"]), self._evidence(str(said["text"]), evidence)
        share = checked_confidence(said.get("confidence"), "confidence")
        memory = self._claim(text, refs, share, one_claim(self.nexus, before.id))
        Writer(self.nexus).supersede(before.id, memory.id, self.actor)
        return Corrected(memory, before, undo_of(memory.id))


def _kept(nexus: Nexus, claim: Claim, actor: Actor) -> MemoryRecord:
    """Keep a claim, or leave it as it was told before, and return it as a memory."""
    records: tuple[MemoryRecord, ...] = ()
    while not records:  # once, unless what was told before is erased by another meanwhile
        made = Writer(nexus).make([claim], actor, keeps_told=True).values()
        records = tuple(made_record(nexus, one, claim) for one in made)
        records = records or records_named(nexus, [claim.id])
    return records[0]


def _nobody(me: str) -> Notice:
    """Return the notice that it is not known who says "me"."""
    return Notice(
        "nobody_is_me",
        f'it is not known who "{me}" is, so this is told of a thing of that name',
        Hint(
            'remember {"subject": "$self", "predicate": "serves", "object": "NAME"}, then correct '
            f'"{me}" by its id with {{"same_as": "NAME"}}',
            ToDo.SERVE,
        ),
    )


def _two_names(nexus: Nexus, facts: Sequence[MemoryRecord]) -> Iterator[Notice]:
    """Yield how the two things of each fact which says that they are one are made one.

    A number or a day, which begins with a digit, is another name of nothing.
    """
    named = [one for one in facts if isinstance(one.object, str) and not one.object[0].isdigit()]
    said = {one.id: one for one in named if "_".join(tokens(one.predicate or "")) in _OF_TWO_NAMES}
    for one in nexus.elements.look_up(said).values() if said else ():
        if isinstance(link := one.element, Link) and link.subject != link.object:
            ends = link.subject, link.object
            hint = join(*(ends if tokens(link.predicate) == ["same", "as"] else reversed(ends)))
            message = f'"{said[link.id]}" is kept as a fact about two things, until they are joined'
            yield Notice("two_names", message, hint)


def _stays(claim: MemoryRecord, confidence: float | None) -> Iterator[Notice]:
    """Yield how a claim that an earlier call kept differs from the one to be kept now."""
    if claim.status not in ACTIVE:
        message = f"the claim is there already and is {claim.status}, so it is not recalled"
        yield Notice("claim_stays", message, "ask why, by its id")
    if confidence is not None and claim.confidence != confidence:
        message = f"the claim is there already with the confidence {claim.confidence:g}"
        hint = "to say how sure you are now, remember it with other evidence"
        yield Notice("claim_stays", message, hint)


def memory_of(
    path: str | PathLike[str] = "memory.db",
    *,
    group: str = "default",
    actor: str | None = None,
    is_person: bool = False,
    **options: Any,  # noqa: ANN401 - those of Nexus.open
) -> Memory:
    """Open a file, or make it, and return what `actor` remembers in a group of it.

    `is_person` says that the actor is a person, whose word is evidence of itself. `options` are
    those of `recollect.open`. Predicates such as works_at have one object at a time: a new fact
    ends the old one. Close it, or use it in a `with`.
    """
    nexus = open_memory(path, **options)
    memory = Memory.open(nexus, group, actor=actor, is_person=is_person)
    try:
        begin_life(memory.nexus, actor=actor)
    except BaseException:
        nexus.close()
        raise
    return memory
