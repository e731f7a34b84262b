"""The service as its callers have it: one suite, whichever way the calls travel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.faces.operations.calls import Service, added_facts, told

import recollect
from recollect.faces.operations import Operations
from recollect.kernel import Nexus

DECOY = "decoy"


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


@pytest.fixture(params=["local"])
def service(request: pytest.FixtureRequest, nexus: Nexus) -> Service:
    """Return an empty service beside a decoy group that holds the same uuids and words.

    A parameter for each way that calls travel: the face in this process, a server, a client.
    """
    assert request.param == "local"
    service = Operations(nexus)
    furnish(service, DECOY)
    return service


@pytest.fixture
def furnished(service: Service) -> Service:
    """Return a service whose group `g` holds what the decoy holds."""
    furnish(service, "g")
    return service
