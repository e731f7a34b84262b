"""Packed postings against lists of them."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, strategies as st

from recollect.kernel.store.postgres.postings import (
    Posting,
    Postings,
    joined,
    merged,
    pack,
    unpack,
    without,
)

IDS = st.integers(-(2**62), 2**62) | st.integers(-300, 300)
POSTINGS = st.tuples(IDS, st.integers(1, 2**17), st.integers(0, 2**33)) | st.tuples(
    st.integers(-40, 40), st.just(1), st.integers(0, 300)
)
LISTS = st.lists(POSTINGS, min_size=1, max_size=40, unique_by=lambda one: one[0])
BLOCKS = st.lists(st.tuples(st.integers(0, 1), LISTS), max_size=8)


def rows(postings: Postings) -> list[Posting]:
    return list(zip(*postings, strict=True))


@given(LISTS)
def test_what_is_packed_comes_back_by_document(postings: list[Posting]) -> None:
    assert rows(unpack(pack(postings))) == sorted(postings)


@given(st.lists(LISTS, max_size=5))
def test_blocks_behind_one_another_are_read_as_one(lists: list[list[Posting]]) -> None:
    expected = [one for postings in lists for one in sorted(postings)]
    assert rows(unpack(b"".join(map(pack, lists)))) == expected


@given(BLOCKS)
def test_what_is_taken_back_cancels_what_was_put_in(
    blocks: list[tuple[int, list[Posting]]],
) -> None:
    put, taken = Counter[Posting](), Counter[Posting]()
    for kind, postings in blocks:
        (taken if kind else put).update(postings)
    come, gone = joined((kind, pack(postings)) for kind, postings in blocks)
    assert Counter(rows(come)) == put - taken
    assert Counter(rows(gone)) == taken - put


@given(BLOCKS, st.integers(0, 8))
def test_it_does_not_matter_which_blocks_are_joined_first(
    blocks: list[tuple[int, list[Posting]]], at: int
) -> None:
    packed = [(kind, pack(postings)) for kind, postings in blocks]
    first = [
        (kind, pack(rows(some))) for kind, some in enumerate(joined(packed[:at])) if some.documents
    ]
    for stepwise, at_once in zip(joined([*first, *packed[at:]]), joined(packed), strict=True):
        assert sorted(rows(stepwise)) == sorted(rows(at_once))


@given(LISTS, st.sets(st.integers(-40, 40)))
def test_a_block_without_some_documents_does_not_name_them(
    postings: list[Posting], documents: set[int]
) -> None:
    left = sorted(one for one in postings if one[0] not in documents)
    found = without(pack(postings), documents)
    if len(left) == len(postings):
        assert found is None
    else:
        assert found is not None
        assert (found[0], rows(unpack(found[1]))) == (len(left), left)


@given(st.lists(LISTS, min_size=1, max_size=4))
def test_a_document_with_several_words_of_a_prefix_is_told_once(lists: list[list[Posting]]) -> None:
    told = {document: size for postings in lists for document, _, size in postings}
    lists = [[(one, count, told[one]) for one, count, _ in postings] for postings in lists]
    counts = Counter[int]()
    for postings in lists:
        counts.update({document: count for document, count, _ in postings})
    found = rows(merged([Postings.of(postings) for postings in lists]))
    assert sorted(found) == sorted((one, counts[one], told[one]) for one in told)


def test_a_common_word_takes_three_bytes_a_document() -> None:
    postings = [(2 * at, 1 + at % 3, 18 + at % 7) for at in range(10_000)]
    assert len(pack(postings)) < 3.1 * len(postings)
