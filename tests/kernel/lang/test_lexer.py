"""The lexer cuts a text into tokens whose places are exact, and keeps the comments."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from recollect.errors import RecollectError, Span
from recollect.kernel.lang.tokens import lex


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("FIND(?x)", ["FIND", "(", "?x", ")"]),
        ('"p"{1,3}|"q"', ['"p"', "{", "1", ",", "3", "}", "|", '"q"']),
        ("{a:true,b::p}", ["{", "a", ":", "true", ",", "b", ":", ":", "p", "}"]),
        ("?a<=?b&&!?c", ["?a", "<=", "?b", "&&", "!", "?c"]),
        ("-1.5e-3 1e+9 -0", ["-1.5e-3", "1e+9", "-0"]),
        (r'"a \" // b" // c', [r'"a \" // b"']),
        ('"not closed\n?x', ['"not closed', "?x"]),
        ("?药 @h $p", ["?药", "@h", "$p"]),
        ("# ' ?", ["#", "'", "?"]),
    ],
)
def test_a_text_is_cut_into_tokens(text, tokens):
    assert lex(text).texts[:-1] == tokens


@given(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0")))
def test_tokens_and_comments_cover_every_character_but_white_space(text):
    tokens = lex(text)
    covered = [tokens.span(at) for at in range(len(tokens.texts))]
    covered += [comment.span for comment in tokens.comments]
    for at, token in enumerate(tokens.texts[:-1]):
        assert text[tokens.span(at).start : tokens.span(at).end] == token
    gaps = list(text)
    for span in covered:
        gaps[span.start : span.end] = " " * (span.end - span.start)
    assert not "".join(gaps).strip()


def test_comments_are_kept_with_their_places():
    text = '// first\r\nFIND // second\n"// no comment" //'
    comments = lex(text).comments
    assert [comment.text for comment in comments] == ["// first", "// second", "//"]
    assert [text[one.span.start : one.span.end].rstrip() for one in comments] == [
        one.text for one in comments
    ]


def test_a_text_of_exactly_the_limit_is_cut_and_one_byte_more_is_not():
    assert lex("?é", max_length=3).texts[0] == "?é"
    with pytest.raises(RecollectError) as refused:
        lex("?é", max_length=2)
    assert refused.value.code.code == "KIP_4002"
    assert refused.value.span == Span(0, 0)


@pytest.mark.parametrize(
    "text", ['FIND "\0"', "?x\0", "// \0", "?\ud800", '"\udfff"', "\ud83d\ude00"]
)
def test_characters_that_no_store_holds_are_refused_wherever_they_stand(text):
    with pytest.raises(RecollectError) as refused:
        lex(text)
    span = refused.value.span
    assert refused.value.code.code == "KIP_2003"
    assert text[span.start] == "\0" or "\ud800" <= text[span.start] <= "\udfff"
