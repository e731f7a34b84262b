"""Random histories: as of any point of both clocks, the engine answers as the copies of then."""

from __future__ import annotations

from hypothesis import HealthCheck, given, note, reject, settings, strategies as st
from tests.reference.bitemporal import History, found_by_word, history
from tests.reference.engine import comparable
from tests.reference.evaluate import TooManyRowsError
from tests.reference.find import find
from tests.reference.queries import Question, questions
from tests.reference.times import (
    CLOCKS,
    WORDS,
    Purge,
    Transaction,
    moments,
    rewordings,
    stories,
    transactions,
)

from recollect.kernel.lang import print_text
from recollect.model import AsOf, Hits

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]

asked = st.one_of(
    questions(0, is_grouped=False, metadata=CLOCKS),
    questions(1, is_grouped=False, metadata=CLOCKS),
    questions(1, is_grouped=True, metadata=CLOCKS),
)


def live(both: History, story: list[Transaction | Purge]) -> None:
    for one in story:
        if isinstance(one, Purge):
            note(f"at {one.at}: purge {one.key}")
            both.purge(one.key, one.at)
            continue
        note(f"at {one.at}:\n" + "\n".join(map(print_text, one.statements)))
        both.transact(one.statements, one.at)
    assert both.nexus.doctor().findings == ()  # nothing hangs on what a purge has taken


@settings(max_examples=3 * EXAMPLES, suppress_health_check=LARGE)
@given(stories, asked, st.lists(moments(), min_size=1, max_size=4))
def test_find_answers_as_of_both_clocks(
    story: list[Transaction | Purge], question: Question, times: list[AsOf]
) -> None:
    with history() as both:
        live(both, story)
        text = print_text(question.query)
        note(f"{text}\n{question.parameters}")
        for as_of in times:
            note(f"{as_of}")
            moment = both.moment(as_of)
            try:
                expected = comparable(lambda: find(moment, question.query, question.parameters))  # noqa: B023
            except TooManyRowsError:
                reject()
            rows = comparable(
                lambda: both.nexus.read(text, question.parameters, as_of=as_of).results[0]  # noqa: B023
            )
            assert rows == expected


@settings(max_examples=EXAMPLES, suppress_health_check=LARGE)
@given(st.one_of(stories, rewordings), st.lists(moments(), min_size=2, max_size=5))
def test_search_finds_what_said_the_word_then(
    story: list[Transaction | Purge], times: list[AsOf]
) -> None:
    with history() as both:
        live(both, story)
        for as_of in times:
            moment = both.moment(as_of)
            for word in WORDS:
                note(f"{word} {as_of}")
                (hits,) = both.nexus.search(word, limit=1_000, as_of=as_of).results
                assert isinstance(hits, Hits)
                found = [one.element.id for one in hits.hits]
                assert len(found) == len(set(found))
                assert set(found) == found_by_word(moment, word)
                ranked = [(-one.score, one.element.id) for one in hits.hits]
                assert [score for score, _ in ranked] == sorted(score for score, _ in ranked)
                shown = {one.public_id: moment.shown(one) for one in moment.elements()}
                assert [one.element for one in hits.hits] == [shown[id] for id in found]
                assert both.nexus.search(word, limit=1_000, as_of=as_of).results == (hits,)


@settings(max_examples=EXAMPLES // 2, suppress_health_check=LARGE)
@given(transactions, questions(1, is_grouped=False, metadata=CLOCKS))
def test_what_was_read_then_is_read_again_as_of_then(
    story: list[Transaction], question: Question
) -> None:
    text = print_text(question.query)
    with history() as both:
        answers = {}
        for one in story:
            both.transact(one.statements, one.at)
            number = len(both.instants)
            answers[number] = comparable(
                lambda: both.nexus.read(text, question.parameters).results[0]
            )
        for number, answer in answers.items():
            as_of = AsOf(transaction=number)
            again = comparable(
                lambda: both.nexus.read(text, question.parameters, as_of=as_of).results[0]  # noqa: B023
            )
            assert again == answer
