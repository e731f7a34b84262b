"""What somebody says of themselves in passing is found beside an assistant's long answers."""

from __future__ import annotations

import pytest

import recollect
from recollect.faces.operations import Operations
from recollect.faces.operations.inputs import Message

CHATS = (
    ("cat", "I just adopted a tabby and named her Pickles. Which food should a cat have?"),
    ("pan", "I bought mine for eight euros at a flea market. How do I clean a pan?"),
    ("boss", "My boss Helga answers no mail after noon. How does one write to a boss?"),
    ("car", "How often does a car need new oil? I drive a Skoda that cost me 3200 pounds."),
    ("garden", "Our balcony faces north, in a flat in Leeds. What grows in such a garden?"),
)
ADVICE = (
    "A good {0} is a matter of care: name what the {0} must do, ask who knows a {0}, and note it."
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What did I name my cat?", "Pickles"),
        ("What did I pay for my pan?", "eight euros"),
        ("What is the name of my boss?", "Helga"),
        ("How much was my car?", "3200"),
        ("Which way does my garden face?", "north"),
    ],
)
def test_what_a_user_says_in_passing_comes_before_an_assistants_advice(
    question: str, said: str
) -> None:
    messages: list[Message] = []
    for day, (topic, text) in enumerate(CHATS * 2):
        asked = text if day < len(CHATS) else f"Is there more to know about a {topic}?"
        for role, content in (("user", asked), ("assistant", ADVICE.format(topic) * 4)):
            messages.append(
                {
                    "role_type": "user" if role == "user" else "assistant",
                    "role": role,
                    "content": content,
                    "timestamp": f"2024-03-{1 + day:02}T10:00:{len(messages):02}Z",
                    "source_description": f"chat {day}",
                }
            )
    with recollect.open(":memory:", group="chats") as nexus:
        with Operations(nexus, worker=False) as operations:
            operations.add_messages(group_id="chats", messages=messages)
        assert said in nexus.recall(question).memories[0].passage


def test_what_others_say_of_themselves_comes_after_what_is_told_of_whom_is_asked() -> None:
    said = "I run the Cork half marathon every year"
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(
            facts=[{"subject": "Tobias Renner", "predicate": "likes", "object": "trail running"}],
            messages=[{"role_type": "user", "role": "Priya Nair", "content": said}],
        )
        found = memory.recall("What sport does Tobias do?").memories
        assert found[0].memory.text == "Tobias Renner likes trail running"
        assert all(one.score < found[0].score / 2 for one in found[1:])
