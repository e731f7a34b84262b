"""Agents whose prompts hold what is known. Specification 003, stage 4.

The rule: knowledge is resolved before the prompt is made, merged as the agent was told to, and
filled into the template as text. What fails raises: an agent never goes on without its knowledge.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, MutableMapping
from enum import StrEnum
from typing import Any, Final, cast

from recollect.errors import refused
from recollect.faces.knowledge.model import checked_as, checked_object
from recollect.faces.knowledge.templates import Template

Provider = Callable[[str], Mapping[str, str]] | Mapping[str, str]
Known = str | Callable[[str], str] | None
Reasoner = Callable[[str], str]

_KNOWN: Final = ("user_profile", "instructions", "context", "skills")
_AFTER: Final = ("action_memory", "attachments")
_LAST: Final = ("user_input", "action_result")


class FeedConflictResolution(StrEnum):
    """Which text stands where knowledge and the feed both have one."""

    FEED_ONLY = "feed_only"
    """That of the knowledge."""

    ATTRIBUTE_ONLY = "attribute_only"
    """That of the feed."""

    MERGE = "merge"
    """Both, with a newline between them."""

    @classmethod
    def _missing_(cls, value: object) -> FeedConflictResolution:
        raise refused(
            f"{str(value)[:60]} does not resolve conflicts of a feed",
            f"use one of {', '.join(cls)}",
        )


def merge_into_feed(
    feed: MutableMapping[str, str],
    knowledge: Mapping[str, str],
    resolution: FeedConflictResolution = FeedConflictResolution.FEED_ONLY,
) -> MutableMapping[str, str]:
    r"""Put knowledge into a feed, and return the feed; what is empty there is always filled.

    >>> merge_into_feed({"context": "a"}, {"context": "b"}, FeedConflictResolution.MERGE)
    {'context': 'a\nb'}
    """
    how = FeedConflictResolution(resolution)
    for key, text in checked_object("knowledge", knowledge).items():
        held = feed.get(key)
        if not held or how is FeedConflictResolution.FEED_ONLY:
            feed[key] = text
        elif how is FeedConflictResolution.MERGE:
            feed[key] = f"{held}\n{text}"
    return feed


class Agent(ABC):
    """What answers a user, with knowledge at hand."""

    knowledge_provider: Provider | None
    user_profile: Known
    context: Known

    @abstractmethod
    def __call__(
        self,
        user_input: str,
        task_input: Mapping[str, Any] | None = None,
        *,
        action_results: str = "",
        action_memory: str = "",
        attachments: str = "",
    ) -> str:
        """Return the answer."""


class PromptBasedAgent(Agent):
    """An agent that asks a reasoner with one prompt, which is kept in `last_prompt`.

    `prompt_template` is Jinja2, with the keys of the feed as its variables; without one the
    sections stand in the order profile, instructions, context, skills, others, request, result.

    >>> agent = PromptBasedAgent(str.upper, knowledge_provider={"skills": "LES"})
    >>> print(agent("help me"))
    LES
    <BLANKLINE>
    USER REQUEST: HELP ME
    """

    def __init__(
        self,
        reasoner: Reasoner,
        prompt_template: str | None = None,
        *,
        knowledge_provider: Provider | None = None,
        user_profile: Known = None,
        context: Known = None,
        feed_conflict_resolution: FeedConflictResolution = FeedConflictResolution.FEED_ONLY,
    ) -> None:
        if not callable(reasoner):
            raise refused("the reasoner is not callable", "give a callable(prompt) -> str")
        self.reasoner = reasoner
        self.prompt_template = prompt_template
        self.knowledge_provider = knowledge_provider
        self.user_profile = user_profile
        self.context = context
        self.feed_conflict_resolution = FeedConflictResolution(feed_conflict_resolution)
        self.last_prompt: str | None = None

    def __call__(
        self,
        user_input: str,
        task_input: Mapping[str, Any] | None = None,
        *,
        action_results: str = "",
        action_memory: str = "",
        attachments: str = "",
    ) -> str:
        """Return what the reasoner answers; `task_input` wins over the agent's own attributes."""
        knowledge = self._knowledge(checked_as(str, user_input))
        given = checked_object("task_input", task_input or {})
        feed: dict[str, str] = {
            "user_profile": _resolved("user_profile", given, self.user_profile, user_input),
            "context": _resolved("context", given, self.context, user_input),
            "user_input": user_input,
            "action_result": action_results,
            "action_memory": action_memory,
            "attachments": attachments,
        }
        feed |= {key: str(one) for key, one in given.items() if key not in feed}
        merge_into_feed(feed, knowledge, self.feed_conflict_resolution)
        self.last_prompt = self._prompt(feed)
        return self.reasoner(self.last_prompt)

    def _knowledge(self, user_input: str) -> Mapping[str, str]:
        provider = self.knowledge_provider
        if provider is None:
            return {}
        found: object = provider(user_input) if callable(provider) else provider
        if not isinstance(found, Mapping) or not all(
            isinstance(key, str) and isinstance(one, str) for key, one in found.items()
        ):
            raise refused(
                "the knowledge provider gives no texts by info type",
                "give a KnowledgeProvider, or a dict of str to str",
            )
        return cast("Mapping[str, str]", found)

    def _prompt(self, feed: Mapping[str, str]) -> str:
        if self.prompt_template is not None:
            return Template(self.prompt_template, "jinja2").filled(feed)
        placed = {*_KNOWN, *_LAST, *_AFTER}
        others = [key for key in sorted(feed) if key not in placed]
        sections = [feed.get(key, "") for key in (*_KNOWN, *others, *_AFTER)]
        sections.append(f"User request: {feed['user_input']}")
        sections.append(feed["action_result"])
        return "\n\n".join(one for one in sections if one)


def _resolved(name: str, given: Mapping[str, Any], own: Known, user_input: str) -> str:
    """Return a text of the task or the agent; a callable is asked with what the user says."""
    found = given.get(name, own)
    if callable(found):
        found = found(user_input)
    return "" if found is None else str(found)
