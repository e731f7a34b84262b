"""Messages become turns of a conversation that a question finds, with who said them and when."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Nexus
from recollect.faces.operations import Operations
from recollect.model import Concept


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as one:
        yield one


def tell(nexus: Nexus, *lines: tuple[str, str, str], chat: str = "a chat") -> None:
    messages = [
        {
            "role_type": "assistant" if role == "Bot" else "user",
            "role": role,
            "content": content,
            "timestamp": at,
            "source_description": chat,
        }
        for at, role, content in lines
    ]
    with Operations(nexus, worker=False) as operations:
        operations.add_messages(group_id="default", messages=messages)  # type: ignore[typeddict-item]


TALK = (
    ("2024-05-01T10:00:00Z", "Ann", "Which instrument did you take up?"),
    ("2024-05-01T10:01:00Z", "Ben", "The cello, and I love it"),
    ("2024-05-01T10:02:00Z", "Ann", "How lovely"),
    ("2024-05-01T15:00:00Z", "Ben", "The plumber came yesterday"),
    ("2024-05-02T10:00:00Z", "Bot", "A plumber is someone who mends pipes"),
)


def texts(nexus: Nexus, question: str) -> list[str]:
    return [one.passage for one in nexus.recall(question).memories]


def test_an_answer_is_found_by_the_words_of_the_question_before_it(nexus: Nexus) -> None:
    tell(nexus, *TALK)
    assert any("cello" in one for one in texts(nexus, "Which instrument?")[:3])


def test_who_speaks_what_is_asked_and_when_are_shares_of_a_score(nexus: Nexus) -> None:
    tell(nexus, *TALK)
    first = nexus.recall("When did the plumber come to Ben, in April 2024?").memories[0]
    assert "The plumber came yesterday" in first.passage
    assert {"words", "session", "speaker", "date", "role"} <= first.why.keys()


def test_what_an_assistant_says_comes_after_what_a_person_says(nexus: Nexus) -> None:
    tell(nexus, *TALK)
    assert "yesterday" in texts(nexus, "What about the plumber?")[0]


def test_an_episode_keeps_who_said_it(nexus: Nexus) -> None:
    tell(nexus, *TALK)
    element = nexus.recall("Who came? The plumber").memories[0].element.element
    assert isinstance(element, Concept)
    assert element.attributes["role"] == "Ben"
    assert element.attributes["role_type"] == "user"


def test_a_copy_told_again_is_no_conflict(nexus: Nexus) -> None:
    tell(nexus, *TALK)
    tell(nexus, *TALK)
    assert len(texts(nexus, "How lovely")) == len(set(texts(nexus, "How lovely")))
