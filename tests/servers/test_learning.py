"""Which extractor a service has, by its settings, and what it says without a key."""

from __future__ import annotations

import pytest

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.operations.pipeline import StructuredExtractor
from recollect.faces.operations.pipeline.llm import LlmExtractor
from recollect.servers.learning import make_learner
from recollect.servers.settings import Learning, Settings

LLM = {"RECOLLECT_EXTRACTOR": "llm"}
KEY = "sk-secret"


def learning(**environment: str) -> Learning:
    return Settings(environment, "linux").learning()


def test_without_settings_only_what_episodes_state_themselves_is_learnt() -> None:
    learner = make_learner(learning(RECOLLECT_LLM_KEY=KEY))
    assert isinstance(learner.extractor, StructuredExtractor)
    assert "no facts are learnt" in learner.warning


def test_without_a_key_the_service_works_and_says_so() -> None:
    learner = make_learner(learning(**LLM, RECOLLECT_LLM_MODEL="m"))
    assert isinstance(learner.extractor, StructuredExtractor)
    assert "RECOLLECT_LLM_KEY is not set" in learner.warning


@pytest.mark.parametrize(
    "where", [{"RECOLLECT_LLM_KEY": KEY}, {"RECOLLECT_LLM_URL": "http://localhost:1/v1"}]
)
def test_a_key_or_an_endpoint_asks_a_model(where: dict[str, str]) -> None:
    learner = make_learner(learning(**LLM, **where, RECOLLECT_LLM_MODEL="m"))
    assert isinstance(learner.extractor, LlmExtractor)
    assert (learner.name, learner.warning) == ("m", "")
    learner.extractor.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"RECOLLECT_EXTRACTOR": "lml"},
        LLM | {"RECOLLECT_LLM_KEY": KEY},
        LLM | {"RECOLLECT_LLM_SECONDS": "0"},
        LLM | {"RECOLLECT_LLM_SECONDS": "soon"},
    ],
)
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(RecollectError) as caught:
        make_learner(learning(**wrong))
    assert caught.value.code is INVALID_ARGUMENT
    assert KEY not in str(caught.value)


def test_the_key_is_not_shown() -> None:
    assert KEY not in repr(learning(RECOLLECT_LLM_KEY=KEY))
    assert learning(RECOLLECT_LLM_SECONDS="5").timeout_seconds == 5
