"""A hint is a value that is also the text of the library."""

from __future__ import annotations

import copy
import json
import pickle

import orjson

from recollect.errors import INVALID_ARGUMENT, RecollectError, ToDo, ask_at


def test_a_hint_is_its_text_wherever_a_text_is_wanted() -> None:
    error = RecollectError(INVALID_ARGUMENT, "no", hint=ask_at(2))
    assert str(error).endswith('hint: use {"known": 2}')
    wire = error.to_wire()
    assert orjson.loads(orjson.dumps(wire)) == json.loads(json.dumps(wire)) == wire


def test_a_hint_keeps_what_is_to_be_done_in_a_response_and_in_a_copy() -> None:
    hint = RecollectError(INVALID_ARGUMENT, "no", hint=ask_at(2)).to_wire()["hint"]
    for one in (hint, copy.deepcopy(hint), pickle.loads(pickle.dumps(hint))):
        assert (one, one.todo, one.on) == (hint, ToDo.ASK_AT_TRANSACTION, ("2",))
