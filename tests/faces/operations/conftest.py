"""The service as its callers have it: one suite, whichever way the calls travel."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.faces.operations.calls import Service, added_facts, told
from tests.faces.operations.remote import WAYS, Remote, Server
from tests.serving import Stage, stage

import recollect
from recollect.faces.operations import Operations
from recollect.kernel import Nexus

DECOY = "decoy"

__all__ = ["stage"]


def furnish(service: Service, group: str) -> None:
    """Give a group a few nodes and facts."""
    for uuid, name in (("ann", "Ann"), ("bob", "Bob"), ("acme", "Acme"), ("globex", "Globex")):
        told(
            service.add_entity_node(
                group_id=group, uuid=uuid, name=name, summary=f"{name} of {group}"
            )
        )
    added_facts(
        service,
        group,
        {
            "uuid": "f1",
            "name": "WORKS_AT",
            "fact": "Ann works at Acme",
            "from": "ann",
            "to": "acme",
        },
        {"uuid": "f2", "name": "KNOWS", "fact": "Bob knows Ann", "from": "bob", "to": "ann"},
    )


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as nexus:
        yield nexus


@pytest.fixture(scope="session")
def server() -> Server:
    """Return the server that all tests share, each with a memory of its own."""
    return Server()


@pytest.fixture(scope="session")
def remotes(stage: Stage) -> Iterator[dict[str, Remote]]:
    """Return the ways to the server, which keep their connections."""
    remotes = {name: way(stage.url) for name, way in WAYS.items()}
    yield remotes
    for remote in remotes.values():
        remote.close()


@pytest.fixture(params=["local", *WAYS])
def reached(request: pytest.FixtureRequest, nexus: Nexus) -> Callable[[Operations], Service]:
    """Return what leads to a service, a parameter for each way that calls travel.

    The face in this process, a server, a client.
    """

    def lead(local: Operations) -> Service:
        if request.param == "local":
            return local
        server: Server = request.getfixturevalue("server")
        server.serve(nexus, local)
        stage: Stage = request.getfixturevalue("stage")
        stage.app = server.app
        remotes: dict[str, Remote] = request.getfixturevalue("remotes")
        return remotes[request.param]

    return lead


@pytest.fixture
def service(nexus: Nexus, reached: Callable[[Operations], Service]) -> Service:
    """Return an empty service beside a decoy group that holds the same uuids and words."""
    local = Operations(nexus)
    furnish(local, DECOY)
    return reached(local)


@pytest.fixture
def furnished(service: Service, nexus: Nexus) -> Service:
    """Return a service whose group `g` holds what the decoy holds."""
    furnish(Operations(nexus), "g")
    return service
