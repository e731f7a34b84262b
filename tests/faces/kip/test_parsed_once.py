"""A text is parsed once, however many hands it goes through."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

from recollect.faces.kip import execute_kip, execute_kip_readonly
from recollect.kernel import Nexus, parse

WRITE = 'UPSERT { CONCEPT { {type: "T", name: "N"} } }'
LONG = f'FIND(?x) WHERE {{ ?x {{type: "T"}} }} {"// much is said of it " * 500}'


def parsings(work: Callable[[], object]) -> int:
    """How often the parser begins a text while work is done in this thread."""
    begun = 0

    def entered(frame: FrameType, event: str, _: object) -> None:
        nonlocal begun
        if event == "call" and frame.f_code.co_name == "statements_of":
            begun += 1

    sys.setprofile(entered)
    try:
        work()
    finally:
        sys.setprofile(None)
    return begun


def test_the_face_parses_a_text_once() -> None:
    with Nexus.open(":memory:") as nexus:
        assert parsings(lambda: execute_kip(nexus, WRITE)) == 1
        assert parsings(lambda: execute_kip(nexus, LONG)) == 1
        assert parsings(lambda: execute_kip_readonly(nexus, LONG)) == 1


def test_a_text_that_is_parsed_already_is_not_parsed_again() -> None:
    write, read = parse(WRITE), parse(LONG)
    with Nexus.open(":memory:") as nexus:
        assert parsings(lambda: execute_kip(nexus, write)) == 0
        assert parsings(lambda: execute_kip_readonly(nexus, read)) == 0
        assert nexus.read(read).results == nexus.read(LONG).results


def test_an_error_in_a_parsed_text_quotes_it() -> None:
    with Nexus.open(":memory:") as nexus:
        tree = parse('FIND(?y) WHERE { ?x {type: "T"} }')
        assert execute_kip(nexus, tree) == execute_kip(nexus, tree.source)
