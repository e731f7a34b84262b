"""What every key-value service does, whatever keeps its values."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from recollect.errors import RecollectError
from recollect.faces.knowledge.services import KeyValueServiceBase

ODD_IDS = [
    "user:alice",
    "..",
    "../../etc/passwd",
    "a/b",
    "A/b",
    "a%2fb",
    'quo"te',
    "it's",
    "back\\slash",
    "*?[a]",
    "-- ; DROP",
    "naïve 🐙 京都",
    "con",
    "aux.",
    " spaced ",
    "x" * 256,
    "X" * 256,
    "🐙" * 256,
    "🐙" * 255 + "x",
]
VALUES = [None, True, 0, -1, 2**40, 1.5, "", "text\nwith \0 and 🐙", [], {}, [1, [2, {"a": None}]], {"k": [False]}]  # fmt: skip


def code_of(call, *given, **named) -> str:
    with pytest.raises(RecollectError) as caught:
        call(*given, **named)
    return caught.value.code.code


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was_put(key_value: KeyValueServiceBase, value: object) -> None:
    key_value.put("key", value)
    found = key_value.get("key")
    assert found == value
    assert type(found) is type(value)


def test_putting_again_replaces(key_value: KeyValueServiceBase) -> None:
    key_value.put("key", {"a": 1})
    key_value.put("key", {"b": 2})
    assert key_value.get("key") == {"b": 2}
    assert key_value.size() == 1


def test_what_is_absent_is_none_and_false(key_value: KeyValueServiceBase) -> None:
    assert key_value.get("key") is None
    assert not key_value.exists("key")
    assert not key_value.delete("key")
    assert key_value.keys() == []
    assert key_value.size() == key_value.clear() == 0
    assert key_value.namespaces() == []


def test_a_stored_null_is_there(key_value: KeyValueServiceBase) -> None:
    key_value.put("key", None)
    assert key_value.exists("key")
    assert key_value.get_many(["key", "other"]) == {"key": None}
    assert key_value.delete("key")
    assert not key_value.exists("key")


def test_namespaces_are_apart_and_none_is_one_of_its_own(key_value: KeyValueServiceBase) -> None:
    key_value.put("key", "unnamed")
    key_value.put("key", "a", "a")
    key_value.put("key", "A", "A")
    assert [key_value.get("key", one) for one in (None, "a", "A", "b")] == [
        "unnamed",
        "a",
        "A",
        None,
    ]
    assert key_value.namespaces() == ["A", "a"]
    assert key_value.holders("key") == [None, "A", "a"]
    assert key_value.delete("key", "a")
    assert key_value.namespaces() == ["A"]
    assert key_value.clear("A") == 1
    assert key_value.namespaces() == []
    assert key_value.get("key") == "unnamed"


def test_keys_are_in_order(key_value: KeyValueServiceBase) -> None:
    for key in ("b", "a", "é", "B", "🐙", "a:b"):
        key_value.put(key, 1, "space")
    assert key_value.keys("space") == sorted(["b", "a", "é", "B", "🐙", "a:b"])
    assert key_value.keys() == []


def test_any_printable_text_is_a_key_and_a_namespace(key_value: KeyValueServiceBase) -> None:
    for at, name in enumerate(ODD_IDS):
        key_value.put(name, at, "keys")
        key_value.put("key", at, name)
    assert [key_value.get(name, "keys") for name in ODD_IDS] == list(range(len(ODD_IDS)))
    assert [key_value.get("key", name) for name in ODD_IDS] == list(range(len(ODD_IDS)))
    assert key_value.keys("keys") == sorted(ODD_IDS)
    assert key_value.namespaces() == sorted([*ODD_IDS, "keys"])
    assert key_value.holders("key") == sorted(ODD_IDS)
    assert all(key_value.delete(name, "keys") for name in ODD_IDS)
    assert key_value.size("keys") == 0


def test_a_key_means_the_same_composed_and_decomposed(key_value: KeyValueServiceBase) -> None:
    key_value.put("cafe\u0301", 1)
    assert key_value.get("caf\u00e9") == 1
    assert key_value.keys() == ["caf\u00e9"]


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\0", "x" * 257, "\ud800", 7])
def test_what_is_no_name_is_refused(key_value: KeyValueServiceBase, name: object) -> None:
    expected = "LIMIT_EXCEEDED" if name == "x" * 257 else "INVALID_ARGUMENT"
    assert code_of(key_value.put, name, 1) == expected
    assert code_of(key_value.get, name) == expected
    assert code_of(key_value.get, "key", name) == expected
    assert code_of(key_value.clear, name) == expected


@pytest.mark.parametrize(
    "value",
    [{1, 2}, b"bytes", (1,), math.nan, math.inf, {1: 2}, type, "\ud800", [b""], 10**5_000],
    ids=lambda one: type(one).__name__,
)
def test_what_is_not_json_is_refused(key_value: KeyValueServiceBase, value: object) -> None:
    assert code_of(key_value.put, "key", value) == "INVALID_ARGUMENT"
    assert code_of(key_value.put_many, {"good": 1, "bad": value}) == "INVALID_ARGUMENT"
    assert key_value.size() == 0


def test_a_value_that_holds_itself_is_refused(key_value: KeyValueServiceBase) -> None:
    value: list[object] = []
    value.append(value)
    assert code_of(key_value.put, "key", value) == "INVALID_ARGUMENT"


def test_many_are_put_and_read_at_once(key_value: KeyValueServiceBase) -> None:
    key_value.put_many({"a": 1, "b": [2]}, "space")
    assert key_value.get_many(["b", "missing", "a"], "space") == {"b": [2], "a": 1}
    assert key_value.get_many(["a"]) == {}
    assert key_value.get_many([]) == {}
    assert code_of(key_value.get_many, "ab") == "INVALID_ARGUMENT"
    assert code_of(key_value.put_many, ["a"]) == "INVALID_ARGUMENT"


def test_what_is_returned_is_a_copy(key_value: KeyValueServiceBase) -> None:
    given = {"list": [1]}
    key_value.put("key", given)
    given["list"].append(2)
    found = key_value.get("key")
    assert found == {"list": [1]}
    found["list"].append(3)
    assert key_value.get("key") == {"list": [1]}


def test_it_tells_about_itself(key_value: KeyValueServiceBase) -> None:
    key_value.put_many({"a": 1, "b": 1}, "space")
    key_value.put("a", 1)
    stats = key_value.get_stats()
    assert key_value.ping()
    assert (stats["size"], stats["namespaces"]) == (3, 1)
    assert stats["service"] == type(key_value).__name__


def test_after_closing_every_call_says_so(key_value: KeyValueServiceBase) -> None:
    key_value.close()
    key_value.close()
    calls = [
        (key_value.get, "key"),
        (key_value.put, "key", 1),
        (key_value.delete, "key"),
        (key_value.exists, "key"),
        (key_value.keys,),
        (key_value.size,),
        (key_value.clear,),
        (key_value.namespaces,),
        (key_value.get_many, ["key"]),
        (key_value.put_many, {"key": 1}),
        (key_value.ping,),
        (key_value.get_stats,),
    ]
    assert {code_of(*call) for call in calls} == {"STORE_CLOSED"}


def test_threads_share_it(key_value: KeyValueServiceBase) -> None:
    def work(worker: int) -> list[object]:
        for at in range(10):
            key_value.put(f"{worker}-{at}", at, f"space {worker % 2}")
        return [key_value.get(f"{worker}-{at}", f"space {worker % 2}") for at in range(10)]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [list(range(10))] * 8
    assert key_value.size("space 0") == key_value.size("space 1") == 40
