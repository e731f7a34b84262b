"""What a DELETE names."""

from __future__ import annotations

import pytest

import recollect
from recollect import RecollectError


def test_a_delete_from_a_variable_that_holds_values_is_refused() -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write('UPSERT { CONCEPT @d { {type: "D", name: "a"} SET ATTRIBUTES {k: 1} } }')
        with pytest.raises(RecollectError) as caught:
            nexus.write(
                'DELETE ATTRIBUTES {"k"} FROM ?v WHERE { ?d {type: "D"} ATTR(?d, "k", ?v) }'
            )
    assert caught.value.code.code == "KIP_1001"
    assert caught.value.message == "DELETE names a variable that holds values"
