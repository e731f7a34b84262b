"""What the commands of the memory do: one call of the face each, in lines or as JSON."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import typer
from rich.text import Text

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError, forget_as, refused
from recollect.faces.claims import EvidenceRef
from recollect.faces.claims.wire import from_wire
from recollect.faces.memory import (
    Corrected,
    Forgotten,
    Holding,
    Memory,
    MemoryRecord,
    RecalledRecord,
)
from recollect.model import instant_text
from recollect.servers.cli.cells import counted
from recollect.servers.cli.evidence import cited, given_evidence
from recollect.servers.cli.given import text_of
from recollect.servers.cli.opening import opened, warn_of_absent_group
from recollect.servers.cli.options import Invocation, told
from recollect.servers.cli.output import Output, output
from recollect.servers.cli.safe_text import shown
from recollect.servers.cli.wanted import ToBrief, ToCorrect, ToForget, ToList, ToRecall, ToRemember
from recollect.servers.settings import Settings


@contextmanager
def _on(
    on: Invocation, *, creates: bool = False, is_baseless: bool = False
) -> Iterator[tuple[Output, Memory]]:
    """Give a command its output and the memory, which only one that tells something makes.

    Who types at a terminal is a person, whose word is evidence. Where there is no memory to keep
    the record of a refusal, what is baseless is refused before one is made.
    """
    settings = Settings()
    with output(on) as out:
        if is_baseless and not settings.database(on.database).exists:
            message = "a claim has no evidence, so nothing is kept"
            raise refused(message, _ADD_EVIDENCE)
        with opened(on, create=creates) as nexus:
            if not creates:
                warn_of_absent_group(out, nexus)
            actor = settings.actor(on.actor)
            with Memory(nexus, actor=actor, is_person=sys.stdin.isatty()) as memory:
                try:
                    yield out, memory
                except RecollectError as error:
                    hint = _HINTS.get(error.hint, error.hint)
                    raise replace(error, message=_in_flags(error.message), hint=hint) from None


_HINTS: Final = {
    "say what is right, such as object": "say --object, --text, --from, --until, --confidence, "
    "--source, --attribute or --same-as",
    "pass an id, or a question in plain words": "give --id or a question, or --source, --session, "
    "--since, --until, --happened-since or --happened-until",
    'pass attributes={"role": "director"}': "say --attribute role=director",
    "say its text, with evidence for it": "say --text, with -e",
    "send an invalid_at that is later, or leave it out": "say a later --until, or leave it out",
}
"""What the memory says of its arguments, said of options."""

_OPTIONS: Final = {
    "valid_at": "--from",
    "invalid_at": "--until",
    **{name: name.upper() for name in ("subject", "predicate", "object")},
}
_MEMBER: Final = re.compile(r"\b(?:facts?(?:\[\d+\])?\.|its (?=invalid_at\b))(\w+)")


def _in_flags(message: str) -> str:
    """Return a message that names a member of a fact by the option that gives it."""
    return _MEMBER.sub(lambda found: _OPTIONS.get(found[1], f"--{found[1]}"), message)


_ADD_EVIDENCE: Final = "add -e user_statement='what was said'"


def _claim_of(on: Invocation, words: Sequence[str]) -> str | None:
    """Return the claim that a text says; what is no one text is a fact without its flag."""
    if len(words) < 2:
        return words[0] if words else None
    is_fact = len(words) == 3
    flag, said = ("--fact ", shlex.join(words)) if is_fact else ("", shlex.quote(" ".join(words)))
    with output(on):
        raise refused(f"a claim is one text, not {len(words)}", f"recollect remember {flag}{said}")


def remember(on: Invocation, new: ToRemember, messages: Sequence[Mapping[str, object]]) -> None:
    """Keep a claim, a fact or messages."""
    text = _claim_of(on, new.text or ())
    is_baseless = text is not None and not new.evidence and not sys.stdin.isatty()
    with _on(on, creates=True, is_baseless=is_baseless) as (out, memory):
        refs = given_evidence(new.evidence or (), memory.actor.actor_id)
        began = instant_text(memory.nexus.now())
        told = {**new.of_fact, "confidence": new.confidence}
        facts = [
            told | {"subject": _value(one, is_end=True), "predicate": link, "object": _value(other)}
            for one, link, other in new.fact or ()
        ]
        try:
            done = memory.remember(
                text,
                facts=facts or None,
                messages=messages,
                evidence=refs or None,
                confidence=new.confidence,
            )
        except RecollectError as error:
            raise _with_option(error) from None
        if out.give_json(done.to_dict()):
            return
        out.warn_of(done.warnings)
        kept = ([] if done.claim is None else [done.claim]) + list(done.facts)
        is_new = done.transaction or any((one.created_at or "") >= began for one in kept)
        is_new = is_new or any(one.code == "counts_again" for one in done.warnings)
        word = "remembered" if is_new else "known already"
        for one in kept:
            out.show_text(_line(one, word))
        for message, id in zip(messages, done.episodes, strict=True):
            said = f"{message.get('role') or '(nobody named)'}: {message.get('content')}"
            out.show_text(_line(MemoryRecord("episode", id, said), word))
        _tell_others(out, done.ended, done.also_holds)


def _with_option(error: RecollectError) -> RecollectError:
    """Return an error that names the option by which evidence is given, if it lacks some."""
    return replace(error, hint=_ADD_EVIDENCE) if "reason_code" in error.details else error


def read_messages(said: Sequence[str], file: str | None) -> list[dict[str, object]]:
    """Return messages: each `NAME: WORDS`, or WORDS alone, and each line of JSON of a file."""
    found: list[dict[str, object]] = []
    for one in said:
        name, colon, words = one.partition(": ")
        found.append({"role": name, "content": words} if colon else {"content": one})
    lines = [] if file is None else text_of(file, "a file of messages").splitlines()
    for number, line in enumerate(lines, 1):
        try:
            message = json.loads(line or "null")
        except (ValueError, RecursionError):
            message = line
        if isinstance(message, dict):
            found.append(message)
        elif message is not None:
            raise typer.BadParameter(
                f"line {number} is not like " + '{"role": "Ann", "content": "I moved to Lisbon"}',
                param_hint="--messages",
            )
    return found


def _spoken(wanted: ToRecall | ToForget | ToBrief) -> dict[str, Any]:
    """Return options as the face takes them; words that nobody quoted are one text."""
    given = told(wanted)
    spoken = given.keys() & {"question", "what", "topic"}
    return given | {name: " ".join(given[name]) for name in spoken}


def recall(on: Invocation, wanted: ToRecall) -> None:
    """Show what a question is about."""
    with _on(on) as (out, memory):
        given = _spoken(wanted)
        why = given.pop("why")
        found = memory.recall(as_of=on.as_of, **given)
        if out.give_json(found.to_dict()):
            return
        out.warn_of(found.warnings)
        for one in found.memories:
            out.show_text(_recalled(one, why=why))
        if not found.memories:
            out.say("nothing is remembered of that", "dim")
            if found.nearest is not None:
                out.show_text(Text("nearest: ", "dim").append(shown(str(found.nearest))))
        _tell_more(out, "recall", given, found.cursor)


def correct(on: Invocation, identifier: str, right: ToCorrect) -> None:
    """Put a memory right."""
    with _on(on) as (out, memory):
        given = told(right)
        if right.object is not None:
            given["object"] = _value(right.object)
        if right.attributes is not None:
            pairs = (one.partition("=") for one in right.attributes)
            given["attributes"] = {name: _value(value) for name, _, value in pairs}
        given["evidence"] = given_evidence(right.evidence or (), memory.actor.actor_id) or None
        try:
            done = memory.correct(identifier, **given)
        except RecollectError as error:
            raise _with_option(error) from None
        _tell_corrected(out, done)


def take_back(on: Invocation, identifier: str) -> None:
    """Take back the last thing that was done to a memory."""
    with _on(on) as (out, memory):
        _tell_corrected(out, memory.undo(identifier))


def forget(on: Invocation, wanted: ToForget, *, is_sure: bool) -> None:
    """Forget one memory by its id, or show what a question names before it is forgotten."""
    with _on(on) as (out, memory):
        is_at_once = is_sure or (wanted.id is not None and wanted.effect != "erase")
        given = _spoken(wanted)
        done = memory.forget(dry_run=not is_at_once, **given)
        if out.give_json(done.to_dict()):
            return
        _tell_forgotten(out, done)
        if done.is_dry_run and wanted.id is not None and sys.stdin.isatty():
            if typer.confirm("Erase this for good?", err=True):
                _tell_forgotten(out, memory.forget(dry_run=False, **given))
            else:
                out.say("nothing is erased", "yellow")
        elif done.is_dry_run and done.memories:
            out.say("nothing is forgotten yet; the same with --yes forgets it", "yellow")
        if given.get("what"):
            _tell_of_others(out, memory, given["what"], done)


def list_all(on: Invocation, wanted: ToList) -> None:
    """List memories, the newest first."""
    with _on(on) as (out, memory):
        found = memory.list(**told(wanted))
        if out.give_json(found.to_dict()):
            return
        out.warn_of(found.warnings)
        for one in found.memories:
            out.show_text(_line(one, one.kind))
        if not found.memories:
            out.say("nothing is remembered", "dim")
        _tell_more(out, "list", told(wanted), found.cursor)


def brief(on: Invocation, wanted: ToBrief) -> None:
    """Say what to know at the start of a session."""
    with _on(on) as (out, memory):
        found = memory.brief(**_spoken(wanted))
        if out.give_json(found.to_dict()):
            return
        for line in found.text.splitlines():
            out.show_text(shown(line, "" if line.startswith("- ") else "bold"))


def explain(on: Invocation, identifier: str, limit: int, cursor: str | None) -> None:
    """Tell what a memory rests on, and what became of it, step by step."""
    with _on(on) as (out, memory):
        why = memory.why(identifier, limit=limit, cursor=cursor)
        if out.give_json(why.to_dict()):
            return
        out.show_text(_line(why.memory, why.memory.kind))
        members = why.memory.to_dict()
        for name in ("status", "confidence", "source", "superseded_by"):
            if value := members.get(name):
                out.show_text(shown(f"            {name}: {value}"))
        for one in members.get("evidence", ()):
            out.show_text(shown(f"            {cited(from_wire(EvidenceRef, one))}"))
        for one in why.episodes:
            out.show_text(shown(f"            learnt from: {one.get('text') or one.get('id')}"))
        for one in why.corrects:
            words = {"by": one.get("actor"), "because": one.get("reason")}
            said = "".join(f" {word} {told}" for word, told in words.items() if told)
            out.show_text(shown(f"            corrects: {one['text']} ({one['at'][:10]}{said})"))
        for step in why.history:
            out.show_text(shown(f"  {step}", "dim"))
        _tell_more(out, "why", {"id": identifier, "limit": limit}, why.cursor)


def _tell_more(out: Output, verb: str, given: Mapping[str, Any], cursor: str | None) -> None:
    """Say how to go on after a page of what was asked for."""
    if cursor is None:
        return
    words, placed = list[str](), list[str]()
    for name, value in {**given, "cursor": cursor}.items():
        flag = "--kind" if name == "kinds" else f"--{name.replace('_', '-')}"
        for one in value if isinstance(value, list) else [value]:
            said = [] if one is True else [str(one)]
            if name in _PLACED:
                placed += said
            elif one is not False:
                words += [flag, *said]
    is_dashed = any(one.startswith("-") for one in placed)
    words = [*words, "--", *placed] if is_dashed else [*placed, *words]
    out.say("there are more; go on with:", "dim")
    out.advise(f"  recollect {verb} {shlex.join(words)}")


_PLACED: Final = ("question", "kind", "id")
"""What is an argument of its command, and no option."""


def _tell_forgotten(out: Output, done: Forgotten) -> None:
    """Say what is forgotten, or would be, and how each is taken back."""
    for one in done.memories:
        word = f"would {done.effect}" if done.is_dry_run else _DONE[done.effect]
        out.show_text(_line(one, word))
        if done.effect != "erase" and not done.is_dry_run:
            back = "add it anew" if one.kind == "piece" else f"recollect undo {one.id}"
            out.advise(back, "  to take it back: ")
    for receipt in done.receipts:
        count = receipt["concepts"] + receipt["links"]
        things, verb = counted(count, "thing"), "is" if count == 1 else "are"
        verb, those = "would be" if done.is_dry_run else verb, "it" if count == 1 else "them"
        out.say(
            f"{things} {verb} gone for good, with all that was said of {those}; {done.undo}", "dim"
        )
        if not done.is_dry_run:
            out.say(_STILL_THERE if receipt["is_complete"] else str(receipt["note"]), "dim")
    if not done.memories:
        out.say("nothing is found to forget", "dim")
    out.warn_of(done.warnings)


def _tell_of_others(out: Output, memory: Memory, what: str, done: Forgotten) -> None:
    """Say what more is known of the thing that a question names, which finds some of it alone."""
    try:
        found = memory.list(about=what, limit=200)
    except RecollectError as error:
        if error.code is not RESOURCE_NOT_FOUND:
            raise
        return  # it names no one thing
    gone = {one.id for one in done.memories}
    left = [one for one in found.memories if one.kind != "concept" and one.id not in gone]
    told = f"{len(gone):,} of {len(left) + len(gone):,}{'+' if found.cursor else ''} memories"
    out.say(f"a question forgets what it finds: {told} of {what}; a larger --limit finds more")
    effect = "withdraw" if done.effect == "end" else done.effect
    for one in found.memories:
        if one.kind == "concept":
            out.advise(forget_as(one.id, effect), f"{one.text} goes with all that is told of it: ")


_STILL_THERE: Final = (
    "The log keeps that something was erased and when, not what. Copies outside this memory may "
    "still hold it: backups, exports, and the history of this terminal."
)

_DONE: Mapping[str, str] = {"end": "ended", "withdraw": "withdrawn", "erase": "erased"}


def _tell_corrected(out: Output, done: Corrected) -> None:
    if out.give_json(done.to_dict()):
        return
    out.warn_of(done.warnings)
    out.show_text(_line(done.before, "before"))
    out.show_text(_line(done.memory, "now"))
    before, now = done.before.to_dict(), done.memory.to_dict()
    for name in _TOLD:
        if before.get(name) != now.get(name):
            out.show_text(
                shown(f"            {name}: {_member(before, name)} → {_member(now, name)}")
            )
    _tell_others(out, (), done.also_holds)
    out.advise(done.undo, "to take it back: ")


_TOLD = ("valid_at", "invalid_at", "source", "confidence", "attributes")


def _member(members: Mapping[str, object], name: str) -> str:
    value = members.get(name)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return "nothing" if value is None else str(value)


def _tell_others(out: Output, ended: Iterable[Holding], held: Iterable[Holding]) -> None:
    for one in ended:
        until = "" if one.until is None else f" (until {one.until[:10]})"
        out.show_text(shown(f"ended       {one.line}{until}", "yellow"))
    for one in held:
        since = "" if one.since is None else f" since {one.since[:10]}"
        out.show_text(shown(f"also holds  {one.line}{since}", "dim"))
        out.advise(one.hint, "  if not: ")


def _line(one: MemoryRecord, word: str) -> Text:
    line = Text(f"{word:<11} ", "green" if word in ("remembered", "now") else "cyan")
    line.append(shown(one.text))
    line.append(shown(str(one).removeprefix(one.text), "yellow" if one.standing else "dim"))
    return line.append(f"  {one.id}", "dim")


def _recalled(one: RecalledRecord, *, why: bool) -> Text:
    line = Text(f"{one.score:.2f}  ", "dim").append(_line(one.memory, one.memory.kind))
    if one.copies:
        line.append(f"  and {one.copies} like it", "dim")
    for name, share in one.why.items() if why else ():
        points, words = share
        line.append(shown(f"\n      {points:+.2f} {name}: {words}", "dim"))
    return line


def _value(text: str, *, is_end: bool = False) -> object:
    """Return a number, true, false or an object of JSON as it is; anything else is a name.

    A number that would be written otherwise, such as 1.10 or 1e5, is the name of something.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict):
        return value
    is_kept = isinstance(value, bool | int | float) and text == json.dumps(value)  # 1.10 is not
    return value if is_kept and not is_end and abs(value) < 2**63 else text
