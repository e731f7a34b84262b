"""Every conformance case through the request face, in this process and over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.conformance.cases import Case, comparable, load
from tests.faces.operations.remote import ADMIN, Server
from tests.serving import Stage, stage

import recollect
from recollect.client import Kip
from recollect.errors import RecollectError
from recollect.faces.kip import Response, execute_kip
from recollect.faces.operations import Operations
from recollect.kernel import Nexus
from recollect.kernel.lang import parse

__all__ = ["stage"]

CASES = load()
Door = Callable[..., Response]


@pytest.fixture(scope="session")
def served(stage: Stage) -> Iterator[Door]:
    """A door that serves whichever memory it is asked about."""
    server = Server()
    with Kip(stage.url, ADMIN) as kip:

        def run(nexus: Nexus, command: str, **given: object) -> Response:
            stage.app = server.app
            server.serve(nexus, Operations(nexus))
            return kip.execute(command, **given)

        yield run


@pytest.fixture(params=["here", "http"])
def door(request: pytest.FixtureRequest) -> Door:
    return execute_kip if request.param == "here" else request.getfixturevalue("served")


def named(cases: list[Case]) -> list[object]:
    return [pytest.param(case, id=case.id) for case in cases]


@pytest.mark.parametrize("case", named([one for one in CASES if not one.is_parse]))
def test_the_face_answers_as_the_case_expects(case: Case, door: Door) -> None:
    with recollect.open(":memory:") as nexus:
        decoy = nexus.group("decoy")
        for text in case.setup:
            assert "result" in execute_kip(decoy, text)
        for text in case.setup:
            assert "result" in door(nexus, text)
        answer = door(nexus, case.command, parameters=case.parameters)
        if case.code:
            assert answer["error"]["code"] == case.code
        else:
            result = answer["result"]
            if case.rows is not None:
                assert comparable(result["rows"], is_ordered=case.is_ordered) == comparable(
                    case.rows, is_ordered=case.is_ordered
                )
            assert {name: result[name] for name in case.report} == case.report
        for check in case.checks:
            rows = door(nexus, check.command)["result"]["rows"]
            assert comparable(rows) == comparable(check.rows)


@pytest.mark.parametrize("case", named([one for one in CASES if one.is_parse]))
def test_the_parser_judges_as_the_case_expects(case: Case) -> None:
    if not case.code:
        assert parse(case.command).statements
        return
    with pytest.raises(RecollectError) as caught:
        parse(case.command)
    assert caught.value.code.code == case.code
