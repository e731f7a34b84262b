"""Evidence compared with what it refers to: a report, which changes nothing.

The rule: nothing outside of the folders that were named is read, nothing is fetched unless asked,
and what cannot be looked up is said to be so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, assert_never

from recollect.errors import RecollectError
from recollect.faces.claims.contents import blob_hash, entry_at, file_hash
from recollect.faces.claims.fetching import anywhere, content_hash, is_public
from recollect.faces.claims.model import Claim, EvidenceRef
from recollect.faces.claims.records import claim_events
from recollect.kernel import Nexus
from recollect.node import dataclass, field

Outcome = Literal["confirmed", "refuted", "unknown"]

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_COMMIT: Final = re.compile(r"[0-9a-fA-F]{4,64}")
_TYPES: Final = {"message": ("Episode", "Event", "Message"), "artifact": ("Artifact",)}
"""The types of concepts that can be what an id of evidence names; a claim can be none."""

_WORST: Final[Sequence[Outcome]] = ("refuted", "unknown", "confirmed")


@dataclass(frozen=True, slots=True)
class EvidenceReport:
    """What comparing one piece of evidence found."""

    evidence: EvidenceRef
    outcome: Outcome
    message: str


@dataclass(frozen=True, slots=True)
class Checker:
    """Where evidence may be looked up.

    `root` is the folder of files that name no repo, `repos` has those of repositories by name.
    With `now` a file whose content is known is compared as it is in the folder, not at its commit.
    """

    root: Path = field(default_factory=Path.cwd)
    repos: Mapping[str, Path] = field(default_factory=dict)
    fetch: bool = False  # urls
    allow_private: bool = False  # addresses that are not public
    now: bool = False

    def check(self, nexus: Nexus, claim: Claim) -> list[EvidenceReport]:
        """Return a report for each piece of evidence, once: the claim's, then its transitions'."""
        events = claim_events(nexus, claim.id)
        later = (ref for told in events for ref in told.event.evidence)
        evidence = dict.fromkeys([*claim.evidence, *later])
        return [EvidenceReport(one, *self._checked(nexus, one)) for one in evidence]

    def _checked(self, nexus: Nexus, ref: EvidenceRef) -> tuple[Outcome, str]:
        match ref.kind:
            case "file":
                return self._file(ref)
            case "url":
                return self._url(ref)
            case "message" | "user_statement":
                return _in_memory(nexus, "message", ref.message_id)
            case "artifact":
                return self._artifact(nexus, ref)
            case "tool_result" | "model_inference" | "human_assertion":
                return "unknown", f"a {ref.kind} leaves nothing that can be looked up"
            case _:
                assert_never(ref.kind)

    def _artifact(self, nexus: Nexus, ref: EvidenceRef) -> tuple[Outcome, str]:
        """Return what is known of an artifact and of its path: refuted before unknown."""
        parts: list[tuple[Outcome, str]] = []
        if ref.path is not None:
            parts.append(self._file(ref))
        if ref.path is None or ref.artifact_id is not None:
            parts.append(_in_memory(nexus, "artifact", ref.artifact_id))
        outcomes = [outcome for outcome, _ in parts]
        worst = min(outcomes, key=_WORST.index)
        return worst, "; ".join(message for _, message in parts)

    def _file(self, ref: EvidenceRef) -> tuple[Outcome, str]:
        if ref.path is None:
            return "unknown", "it names no path"
        folder = self.root if ref.repo is None else self.repos.get(ref.repo)
        if folder is None:
            return "unknown", f"no folder is named for the repo {ref.repo}"
        try:
            root = folder.resolve()
            if not root.is_dir():
                return "unknown", f"there is no folder {folder}"
            is_now = self.now and ref.content_hash is not None
            if ref.commit_sha is None or is_now:
                return _in_folder(root, ref)
            return _at_commit(root, ref, ref.commit_sha)
        except RecollectError as error:
            return "unknown", f"{ref.path} cannot be checked: {error.message}"
        except (OSError, ValueError, RuntimeError) as error:  # the last for a loop of links
            return "unknown", f"{ref.path} cannot be read: {type(error).__name__}"

    def _url(self, ref: EvidenceRef) -> tuple[Outcome, str]:
        if ref.url is None:
            return "unknown", "it names no url"
        if not self.fetch:
            return "unknown", f"{ref.url} was not fetched, since fetching was not asked for"
        try:
            found = content_hash(ref.url, anywhere if self.allow_private else is_public)
        except RecollectError as error:
            return "unknown", error.message
        if ref.content_hash is None:
            return "confirmed", f"{ref.url} answers; there is no hash to compare"
        return _compared(ref, found)


def _in_folder(root: Path, ref: EvidenceRef) -> tuple[Outcome, str]:
    """Return whether a file is there, and has the content that is named."""
    path = (root / (ref.path or "")).resolve()
    if not path.is_relative_to(root):
        return "unknown", f"{ref.path} is outside of the folder that may be read"
    if not path.is_file():
        what = "is not a file" if path.exists() else "is not there"
        return "refuted", f"{ref.path} {what}"
    if ref.content_hash is None:
        return "confirmed", f"{ref.path} is there"
    return _compared(ref, file_hash(path))


def _compared(ref: EvidenceRef, found: str) -> tuple[Outcome, str]:
    """Return whether a content has the hash that the evidence names."""
    what = ref.path or ref.url
    wanted = (ref.content_hash or "").casefold().removeprefix("sha256:")
    if wanted == found:
        return "confirmed", f"{what} has the same content"
    if not _SHA256.fullmatch(wanted):
        return "unknown", f"the hash of {what} is not a SHA-256 in hexadecimal"
    return "refuted", f"the content of {what} differs"


def _at_commit(root: Path, ref: EvidenceRef, commit: str) -> tuple[Outcome, str]:
    """Return whether a file was there at a commit, and had the content that is named."""
    if not _COMMIT.fullmatch(commit):
        return "unknown", f"{commit!r:.60} is not a commit"
    path = Path(os.path.relpath(os.path.normpath(root / (ref.path or "")), root))
    if path.is_relative_to(".."):
        return "unknown", f"{ref.path} is outside of the folder that may be read"
    entry = entry_at(root, path, commit)
    if entry is None:
        return "refuted", f"{ref.path} is not there at {commit}"
    type_, id = entry
    if type_ != "blob":
        return "refuted", f"{ref.path} is not a file at {commit}"
    if ref.content_hash is None:
        return "confirmed", f"{ref.path} is there at {commit}"
    return _compared(ref, blob_hash(root, id))


def _in_memory(
    nexus: Nexus, what: Literal["message", "artifact"], id: str | None
) -> tuple[Outcome, str]:
    """Return whether the memory has a concept of an id that can be what the id names."""
    if id is None:
        return "unknown", f"it names no {what}"
    found = nexus.elements.keys([id]).get(id)
    if found is None:
        return "unknown", f"the {what} {id} is not in this memory"
    if found.type not in _TYPES[what]:
        article = "an" if what == "artifact" else "a"
        return "unknown", f"{id} is a {found.type}, not {article} {what}"
    return "confirmed", f"the {what} {id} is in the memory"
