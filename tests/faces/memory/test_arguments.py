"""Arguments of another kind than the memory takes, whatever a caller's types say."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.faces.memory import Memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.memory(":memory:") as opened:
        yield opened


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (lambda m: m.remember(42), "text is not a text", "pass text as a text"),
        (
            lambda m: m.remember(messages="hello"),
            "messages is not a list",
            'pass messages=["hello"]',
        ),
        (
            lambda m: m.remember(messages=[42]),
            "messages[0] is not an object",
            "pass messages[0] as an object",
        ),
        (
            lambda m: m.remember(facts={"subject": "Ann", "predicate": "is", "object": "tall"}),
            "facts is not a list",
            'pass facts=[{"subject": "Ann", "predicate": "is", "object": "tall"}]',
        ),
        (lambda m: m.recall(None), "question is not a text", "pass question as a text"),
        (lambda m: m.recall(kind="fact"), "recall takes no kind", "use kinds"),
        (
            lambda m: m.list("people"),
            "there is no kind of memory 'people'; there are fact, claim, concept, episode, piece",
            "use kind",
        ),
        (
            lambda m: m.recall("x", kinds=["people"]),
            'no kind of memory is called "people"; there are fact, concept, episode, claim, piece',
            'use "',
        ),
        (lambda m: m.recall("x", kinds="fact"), "kinds is not a list", 'pass kinds=["fact"]'),
        (lambda m: m.recall("x", kinds=[4]), "kinds[0] is not a text", "pass kinds[0] as a text"),
        (lambda m: m.recall("x", threshold=True), "threshold is not a number", "as a number"),
        (
            lambda m: m.recall("x", max_tokens="3"),
            "max_tokens is not a whole number",
            "as a whole number",
        ),
        (lambda m: m.recall("x", past="no"), "past is not true or false", "as true or false"),
        (lambda m: m.correct(42, object="x"), "id is not a text", "pass id as a text"),
        (lambda m: m.correct("x", attributes=[]), "attributes is not an object", "as an object"),
        (lambda m: m.undo(42), "id is not a text", "pass id as a text"),
        (lambda m: m.forget(["a"]), "what is not a text", "pass what as a text"),
        (lambda m: m.list(about=7), "about is not a text", "pass about as a text"),
        (lambda m: m.why(None), "id is not a text", "pass id as a text"),
        (lambda m: m.brief(7), "topic is not a text", "pass topic as a text"),
    ],
)
def test_an_argument_of_another_kind_is_refused_by_its_name(
    memory: Memory, call: Callable[[Memory], object], message: str, hint: str
) -> None:
    with pytest.raises(RecollectError) as refused:
        call(memory)
    assert (refused.value.code.code, refused.value.message) == ("INVALID_ARGUMENT", message)
    assert hint in refused.value.hint
