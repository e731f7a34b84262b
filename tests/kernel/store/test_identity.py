"""Public ids: computed in both directions, and telling nothing of what other groups write."""

from __future__ import annotations

import itertools
import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import given, strategies as st

import recollect
from recollect.kernel import Nexus
from recollect.kernel.store.cells import element_id, has_key, permuted, public_id, restored
from recollect.model import Dated, PutConcept, PutLink

KEYED, PLAIN = bytes(range(26)), bytes(range(10))
NUMBERS = st.integers(0, 2**48 - 1)


@given(bits=st.sampled_from([KEYED, PLAIN]) | st.binary(min_size=26, max_size=26), number=NUMBERS)
def test_an_id_leads_back_to_its_element(bits: bytes, number: int) -> None:
    text = public_id(bits, number)
    assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text)
    assert element_id(bits, text) == number
    assert element_id(bits, text.upper()) in (None, number if text.upper() == text else None)
    assert element_id(bits, f"{text[:-1]}g") is None
    assert element_id(bytes([bits[0] ^ 1, *bits[1:]]), text) is None


@given(number=NUMBERS)
def test_a_permutation_is_one_of_48_bits_in_both_directions(number: int) -> None:
    assert restored(KEYED, permuted(KEYED, number)) == number
    assert permuted(KEYED, restored(KEYED, number)) == number
    assert 0 <= permuted(KEYED, number) < 2**48


def test_groups_with_other_keys_permute_otherwise_and_neighbours_are_far_apart() -> None:
    other = KEYED[:-1] + b"\0"
    shown = [permuted(KEYED, at) for at in range(2_000)]
    assert len(set(shown)) == 2_000
    assert not set(shown) & {permuted(other, at) for at in range(2_000)}
    steps = [abs(one - next_) for one, next_ in itertools.pairwise(shown)]
    assert min(steps) > 1_000
    bits = [sum(one >> at & 1 for one in shown) for at in range(48)]
    assert min(bits) > 850 and max(bits) < 1_150


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:", group="b") as nexus:
        yield nexus


def test_two_ids_of_a_group_do_not_tell_how_much_another_wrote_between_them() -> None:
    for much in (0, 1, 500):
        with recollect.open(":memory:", group="b") as nexus:
            nexus.write([PutConcept("Pet", "one")])
            if much:
                nexus.group("a").write([PutConcept("Pet", f"{at}") for at in range(much)])
            nexus.write([PutConcept("Pet", "two")])
            one, two = (int(each[-12:], 16) for each in ids(nexus))
            assert abs(one - two) > 2 * much + 1_000


def ids(nexus: Nexus) -> list[str]:
    rows = nexus.read('FIND(?x) WHERE { ?x {type: "Pet"} ATTR(?x, "name", ?n) } ORDER BY ?n')
    return [one.id for (one,) in rows.results[0].rows]  # type: ignore[union-attr,misc]


def test_ids_of_concepts_and_links_are_found_again_after_everything(tmp_path: Path) -> None:
    path, copy = tmp_path / "m.db", tmp_path / "copy.db"
    with recollect.open(path) as nexus:
        report = nexus.write([PutConcept("Pet", "Rex", handle="r")]).results[0]
        (pet,) = report.ids  # type: ignore[union-attr]
        (link,) = nexus.write([PutLink(pet, "knows", pet)]).results[0].ids  # type: ignore[union-attr]
        nexus.dump(tmp_path / "dump")
    with recollect.open(path) as again, recollect.open(copy) as restored_:
        restored_.restore(tmp_path / "dump")
        for one in (again, restored_):
            found: dict[str, Dated] = one.elements.look_up([pet, link])
            assert set(found) == {pet, link}
            assert one.read("FIND(?x) WHERE { ?x {id: $id} }", {"id": pet}).results[0].rows  # type: ignore[union-attr]
            assert one.verify().is_whole
            assert one.doctor().counting == ()


@pytest.mark.sqlite_only("is about a group of an older file")
def test_an_older_group_keeps_its_ids_and_the_doctor_says_so(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with recollect.open(path, group="old") as nexus:
        nexus.write([])
    with recollect.open(path, group="old") as nexus:
        nexus.group("new").write([PutConcept("Pet", "Rex")])
        connection = apsw.Connection(str(path))
        connection.execute(
            "INSERT INTO grp (group_id, name, id_bits, number, at, chain)"
            " VALUES (9, 'old', zeroblob(10), 0, 0, zeroblob(32))"
        )
        connection.close()
        (pet,) = nexus.write([PutConcept("Pet", "Rex")]).results[0].ids  # type: ignore[union-attr]
        assert pet.startswith("00000000-0000-8000-8000-00000000000")
        assert set(nexus.elements.look_up([pet])) == {pet}
        diagnosis = nexus.doctor(fix=True)
        assert (diagnosis.counting, diagnosis.findings) == (("old",), ())
        assert not has_key(bytes(10))


EXPLAINED = {
    "FIND(?x) WHERE { ?x {id: $id} }": None,
    'FIND(?x) WHERE { ?x {type: "Pet"} }': recollect.AsOf(transaction=1),
    'FIND(?x) WHERE { ?x {type: "Pet"} ATTR(?x, "id", ?i) FILTER(?i == $id) }': None,
    "FIND(?k) WHERE { ?k ({id: $id}, ?p, ?o) }": None,
}


def test_explain_tells_nothing_that_is_counted_over_all_groups(nexus: Nexus) -> None:
    shown = []
    for much in (0, 300):
        group = nexus.group(f"b{much}")
        nexus.group(f"a{much}").write([PutConcept("Pet", f"{at}") for at in range(much)])
        (pet,) = group.write([PutConcept("Pet", "Rex")]).results[0].ids  # type: ignore[union-attr]
        for text, as_of in EXPLAINED.items():
            given = {"id": pet} if "$id" in text else {}
            told = group.explain(text, given, as_of=as_of)
            parameters = {
                name: "an id" if value == pet else value for name, value in told.parameters.items()
            }
            assert parameters["group"] == "this group"
            plan = told.engine if told.steps is not None else ()  # a server's follows all its rows
            shown.append((text, parameters, told.counts, plan, told.steps, told.rows))
            assert not any(f"'{value}'" in line for value in given.values() for line in told.engine)
    half = len(shown) // 2
    assert shown[:half] == shown[half:]


def test_a_cursor_does_not_tell_how_much_another_group_wrote(nexus: Nexus) -> None:
    """Every number in what can be read of it is the group's own."""
    numbers = []
    for much in (0, 300):
        group = nexus.group(f"b{much}")
        nexus.group(f"a{much}").write([PutConcept("Pet", f"{at}") for at in range(much)])
        group.write([PutConcept("Pet", f"Rex {at}") for at in range(4)])
        for text in (
            'FIND(?x) WHERE { ?x {type: "Pet"} } LIMIT 2',
            'SEARCH CONCEPT "rex" LIMIT 2',
            'EXPORT ?x WHERE { ?x {type: "Pet"} } LIMIT 2',
        ):
            cursor = getattr(group.read(text).results[0], "next_cursor", None)
            assert isinstance(cursor, str)
            form, _, *place = json.loads(urlsafe_b64decode(cursor + "==="))
            hidden = [one for one in place if isinstance(one, str) and len(one) > 8]
            assert len(hidden) == 1
            numbers.append((form, [one for one in place if one not in hidden]))
            rest = group.read(f'{text.replace("LIMIT 2", "")} CURSOR "{cursor}"')
            assert rest.results
    half = len(numbers) // 2
    assert numbers[:half] == numbers[half:]
