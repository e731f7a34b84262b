"""The evidence that a person gives in one word of a command: KIND=VALUE, or an EvidenceRef in JSON.

The rule: VALUE is what a person has at hand, the words that were said or the place of a thing.
Whoever knows ids gives JSON. What is in a file, and the commit it is from, are kept as they are
now, so that a later check sees a change.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import typer

from recollect.errors import Notice, RecollectError
from recollect.faces.claims import KINDS, EvidenceRef
from recollect.faces.claims.contents import commit_of, file_hash
from recollect.faces.claims.wire import from_wire
from recollect.servers.cli.output import Output
from recollect.servers.cli.safe_text import one_line

_FIELDS: Final[Mapping[str, str]] = {"file": "path", "artifact": "path", "url": "url"}
"""What KIND=VALUE gives a piece of evidence, if it is not what was said."""

_SAID: Final = "detail"


def referred(ref: EvidenceRef) -> str:
    """Return what a piece of evidence refers to, on one line: words and places, else ids."""
    told = {key: value for key, value in asdict(ref).items() if value is not None}
    places = {key: told[key] for key in ("path", "repo", "commit_sha", "url") if key in told}
    ids = {key: value for key, value in told.items() if key.endswith("id") and not places}
    said = [] if ref.detail is None else [one_line(ref.detail)]
    named = places or ({} if said else ids)
    return ", ".join([*said, *(f"{key} {one_line(str(value))}" for key, value in named.items())])


def cited(ref: EvidenceRef) -> str:
    """Return a piece of evidence on one line: its kind, and what it refers to, if it says that."""
    return ": ".join(filter(None, (ref.kind, referred(ref))))


def given_evidence(texts: Sequence[str], actor: str | None) -> list[EvidenceRef]:
    """Return the pieces of evidence that words mean; a human asserts as the `actor`."""
    try:
        return [_evidence_ref(one, actor) for one in texts]
    except RecollectError as error:
        raise typer.BadParameter(error.message, param_hint="--evidence") from None


def asserted(person: str | None) -> list[EvidenceRef]:
    """Return what a claim without other evidence rests on: the word of who is at the terminal.

    Nothing where a program gives the command.
    """
    if not sys.stdin.isatty():
        return []
    return [EvidenceRef(kind="human_assertion", id=person, fetched_at=time.time())]


def kept_evidence(out: Output, refs: Sequence[EvidenceRef]) -> list[EvidenceRef]:
    """Return evidence with the hash of each file of this folder, and the commit it is from.

    What is told already stays as it is; a file that cannot be read is warned of.
    """
    return [_kept(out, one) if one.kind in ("file", "artifact") else one for one in refs]


def _evidence_ref(text: str, actor: str | None) -> EvidenceRef:
    if text.startswith("{"):
        try:
            return from_wire(EvidenceRef, json.loads(text))
        except (ValueError, RecursionError) as error:
            raise typer.BadParameter(
                f"it is not an EvidenceRef in JSON: {error}", param_hint="--evidence"
            ) from None
    kind, equals, value = text.partition("=")
    if not equals or not value or kind not in KINDS:
        is_pair = equals and value
        why = f"{kind!r} is no kind of evidence" if is_pair else f"{text!r} is not KIND=VALUE"
        raise typer.BadParameter(
            f"{why}; the kinds are {', '.join(KINDS)}", param_hint="--evidence"
        )
    told = {"kind": kind, _FIELDS.get(kind, _SAID): value}
    if kind == "human_assertion" and actor is not None:
        told["id"] = actor
    return from_wire(EvidenceRef, told)


def _kept(out: Output, ref: EvidenceRef) -> EvidenceRef:
    if ref.path is None or ref.repo or ref.commit_sha or ref.content_hash:
        return ref
    folder = Path.cwd()
    path = Path(os.path.normpath(folder / ref.path))
    try:
        if not path.is_relative_to(folder):
            out.warn_of([_not_kept(f"{ref.path} is not in this folder")])
            return ref
        found = file_hash(path)
    except (RecollectError, OSError, ValueError):
        what = "cannot be read" if path.exists() else "is not there"
        out.warn_of([_not_kept(f"{ref.path} {what}")])
        return ref
    return replace(ref, content_hash=found, commit_sha=commit_of(folder, path, found))


def _not_kept(message: str) -> Notice:
    return Notice("content_not_kept", f"{message}, so no check can see it change")
