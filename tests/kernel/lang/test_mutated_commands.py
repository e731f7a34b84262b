"""Two thousand commands with one slip each: every one is answered, and nearly every one mended."""

from __future__ import annotations

from collections import Counter

import pytest

import mutations
from recollect.errors import CODES, RecollectError
from recollect.kernel import check
from recollect.kernel.lang import parse

CORPUS = tuple(mutations.slips(2_000))
CANNOT_BE_KNOWN = {"name_missing", "token_stray"}  # which name, and whether a word says something


def refused(text: str) -> RecollectError | None:
    """The error that a text is refused with, None if it is the language."""
    try:
        parse(text)
    except RecollectError as error:
        return error
    return None


@pytest.fixture(scope="module")
def answers() -> list[tuple[mutations.Slip, RecollectError | None]]:
    return [(slip, refused(slip.text)) for slip in CORPUS]


@pytest.mark.parametrize("command", mutations.COMMANDS)
def test_a_command_without_a_slip_is_the_language(command):
    assert refused(command) is None


def test_the_corpus_has_two_thousand_different_commands_of_every_class():
    assert len({slip.text for slip in CORPUS}) == 2_000
    kinds = Counter(slip.kind for slip in CORPUS)
    assert set(kinds) == {change.__name__ for change in mutations.CHANGES}
    assert tuple(mutations.slips(2_000)) == CORPUS


def test_a_slip_is_refused_with_a_code_a_place_and_a_hint(answers):
    broken = [(slip, error) for slip, error in answers if error is not None]
    assert len(broken) > 1_800
    for slip, error in broken:
        assert CODES[error.code.code] is error.code
        assert error.code.category in ("syntax", "schema"), slip.text
        assert error.span is not None
        assert 0 <= error.span.start <= error.span.end <= len(slip.text)
        assert error.hint, slip.text


def test_the_fix_of_a_single_slip_gives_a_text_that_parses(answers):
    broken: Counter[str] = Counter()
    mended: Counter[str] = Counter()
    for slip, error in answers:
        if error is not None:
            broken[slip.kind] += 1
            if error.fix is not None:
                mended[slip.kind] += refused(error.fix.apply(slip.text)) is None
    known = broken.keys() - CANNOT_BE_KNOWN
    assert sum(mended[kind] for kind in known) / sum(broken[kind] for kind in known) >= 0.90
    assert [kind for kind in known if mended[kind] / broken[kind] < 0.80] == []


def test_a_fix_restores_what_was_meant_wherever_it_can_be_known(answers):
    lossless = {"keyword_case", "keyword_typo", "quote_kind", "operator_other", "bracket_extra"}
    told = [(slip, error) for slip, error in answers if error is not None and slip.kind in lossless]
    restored = [
        error.fix is not None and parse_or_none(error.fix.apply(slip.text)) == parse(slip.meant)
        for slip, error in told
    ]
    assert sum(restored) / len(restored) >= 0.95


def parse_or_none(text: str) -> object:
    return parse(text) if refused(text) is None else None


def test_a_fix_never_lets_an_explained_change_run():
    error = refused('EXPLAIN DELETE CONCEPT {type: "A", name: "b"} DETACH')
    assert error is not None
    assert error.fix is None


def test_every_command_of_the_corpus_can_be_checked_whole():
    for slip, error in zip(CORPUS[::5], (refused(slip.text) for slip in CORPUS[::5]), strict=True):
        found = check(slip.text)
        if error is not None:
            assert [one for one in found if one.severity == "error"], slip.text
        for one in found:
            assert 0 <= one.span.start <= one.span.end <= len(slip.text)
            assert one.message
