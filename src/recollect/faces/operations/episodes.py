"""Episodes: what was told, kept as it was told.

The rule: an episode never changes; the same uuid with the same payload is the same episode, with
another payload it is a conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from recollect.errors import CONFLICT, VERSION_CONFLICT, RecollectError
from recollect.faces.operations.inputs import EpisodeItem, Message, Source
from recollect.faces.operations.naming import content_hash, episode_uuid
from recollect.faces.operations.records import EPISODE, is_episode
from recollect.kernel import Nexus
from recollect.model import AsOf, Attributes, Dated, PutConcept, Rows, Value
from recollect.node import dataclass

_NEWEST = """
FIND(?uuid) WHERE {
  ?episode {type: "Episode"}
  ATTR(?episode, "id", ?uuid)
  ATTR(?episode, "reference_time", ?reference_time)
  ATTR(?episode, "body", ?body)
  ATTR(?episode, "source", ?source)
  META(?episode, "_created_at", ?created_at)
  FILTER(IN(?source, $sources) && STARTS_WITH(?body, "") && STARTS_WITH(?reference_time, ""))
}
ORDER BY ?reference_time DESC, ?created_at DESC, ?uuid DESC LIMIT $last_n
"""
_SOURCES: list[Value] = [*get_args(Source)]


@dataclass(frozen=True, slots=True)
class EpisodeDraft:
    """An episode that is checked and not kept yet."""

    uuid: str
    name: str | None
    body: str
    source: str
    source_description: str | None
    reference_time: str  # ISO 8601 in UTC, to the millisecond
    session: str | None  # the conversation that it says it belongs to
    role_type: str | None  # of a message, as is who said it
    role: str | None
    is_named: bool  # by a uuid that was given, else by its content

    @classmethod
    def of_item(
        cls, group: str, item: EpisodeItem, role_type: str | None = None, role: str | None = None
    ) -> EpisodeDraft:
        """Return the draft of an item of AddEpisodes; without a uuid its content names it."""
        name, body = item.get("name"), item["body"]
        source, time = item["source"], item["reference_time"]
        given = item.get("uuid")
        return cls(
            uuid=given or episode_uuid(group, content_hash(name, source, time, body)),
            name=name,
            body=body,
            source=source,
            source_description=item.get("source_description"),
            reference_time=time,
            session=item.get("session"),
            role_type=role_type,
            role=role,
            is_named=given is not None,
        )

    @classmethod
    def of_message(cls, group: str, message: Message) -> EpisodeDraft:
        """Return the draft of a message, whose body is its line."""
        return cls.of_item(
            group,
            {
                "uuid": message.get("uuid"),
                "name": message.get("name"),
                "source": "message",
                "body": message_line(message["role_type"], message.get("role"), message["content"]),
                "reference_time": message["timestamp"],
                "source_description": message.get("source_description"),
                "session": message.get("session"),
            },
            message["role_type"],
            message.get("role"),
        )

    @property
    def attributes(self) -> Attributes:
        """What the concept of the episode holds."""
        return {
            "name": self.name,
            "body": self.body,
            "source": self.source,
            "source_description": self.source_description,
            "reference_time": self.reference_time,
            **{key: one for key, one in self._beside.items() if one},
        }

    @property
    def _beside(self) -> dict[str, str | None]:
        """What is kept beside the specified fields, where it is told."""
        return {"session": self.session, "role_type": self.role_type, "role": self.role}

    def is_the_same_as(self, held: Attributes) -> bool:
        """Whether what is held under the uuid says the same; the content that names one counts."""
        wanted = self.attributes
        if not self.is_named:
            wanted = {**wanted, "source_description": held.get("source_description")}
        wanted = {key: one for key, one in wanted.items() if key in held or key not in self._beside}
        return dict(held) == wanted

    def change(self) -> PutConcept:
        """Return the change that keeps it; KIP_3005 when it is there already."""
        return PutConcept(EPISODE, self.uuid, self.attributes, id=self.uuid, expect_version=0)


def message_line(role_type: str, role: str | None, content: str) -> str:
    """Return a message as one line. Specification 004, appendix A.

    >>> message_line("user", "Ann", "Hello")
    'user(Ann): Hello'
    """
    return f"{role_type}({role or ''}): {content}"


def new_episodes(nexus: Nexus, drafts: Sequence[EpisodeDraft]) -> list[EpisodeDraft]:
    """Return the drafts that are not kept yet, each once; CONFLICT for another payload."""
    held: dict[str, Attributes] = {
        uuid: dated.element.attributes if is_episode(dated.element) else {}
        for uuid, dated in nexus.elements.look_up([one.uuid for one in drafts], closed=True).items()
    }
    new: list[EpisodeDraft] = []
    for draft in drafts:
        if draft.uuid not in held:
            held[draft.uuid] = draft.attributes
            new.append(draft)
        elif not draft.is_the_same_as(held[draft.uuid]):
            raise CONFLICT.error(
                f'the uuid "{draft.uuid}" belongs to something else', "send it under another uuid"
            )
    return new


def keep_episodes(
    nexus: Nexus, drafts: Sequence[EpisodeDraft], request_id: str, actor: str | None
) -> list[str]:
    """Keep the drafts in one transaction, and return their uuids in order."""
    try:
        _write(nexus, drafts, request_id, actor)
    except RecollectError as error:
        if error.code is not VERSION_CONFLICT:
            raise
        _write(nexus, drafts, request_id, actor)  # another call kept one of them just now
    return [draft.uuid for draft in drafts]


def _write(
    nexus: Nexus, drafts: Sequence[EpisodeDraft], request_id: str, actor: str | None
) -> None:
    new = new_episodes(nexus, drafts)
    if new:
        nexus.write([draft.change() for draft in new], actor=actor, request_id=request_id)


def newest_episodes(nexus: Nexus, last_n: int, as_of: AsOf) -> list[Dated]:
    """Return the newest episodes, oldest first, by time, then creation, then uuid.

    One that others than the operations wrote is among them if it has a body, a source and a time.
    """
    parameters: dict[str, Value] = {"last_n": last_n, "sources": _SOURCES}
    rows = nexus.read(_NEWEST, parameters, as_of=as_of).only(Rows)
    uuids = [str(uuid) for (uuid,) in rows.rows][::-1]
    found = nexus.elements.look_up(uuids, as_of=as_of)
    return [found[uuid] for uuid in uuids if uuid in found]
