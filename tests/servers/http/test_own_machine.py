"""A server without tokens is for its own machine, and not for what a browser is made to ask."""

from __future__ import annotations

import httpx2
import pytest
from tests.servers.http.conftest import code_in

from recollect.errors import RecollectError
from recollect.servers.http.app import make_app
from recollect.servers.http.guard import Options
from recollect.servers.http.server import check_exposure, listen

BODY = b'{"input": {}}'
PATH = "/v1/operations/Healthcheck"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:80", "LOCALHOST:7411"])
def test_it_is_called_by_its_own_names(http: httpx2.Client, host: str) -> None:
    assert http.post(PATH, content=BODY, headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil", "[", ""])
def test_it_is_not_called_by_another_name(http: httpx2.Client, host: str) -> None:
    answer = http.post(PATH, content=BODY, headers={"host": host})
    assert (answer.status_code, code_in(answer)) == (403, "PERMISSION_DENIED")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost:1"])
def test_a_page_of_another_origin_is_refused(http: httpx2.Client, origin: str) -> None:
    answer = http.post(PATH, content=BODY, headers={"origin": origin})
    assert (answer.status_code, code_in(answer)) == (403, "PERMISSION_DENIED")


def test_a_page_of_its_own_is_not(http: httpx2.Client) -> None:
    origin = str(http.base_url).rstrip("/")
    assert http.post(PATH, content=BODY, headers={"origin": origin}).status_code == 200


def test_one_that_is_open_to_all_has_any_name(http, stage, service) -> None:
    stage.app = make_app(service, Options(hosts=None))
    assert http.post(PATH, content=BODY, headers={"host": "memory.example"}).status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "memory.example", ""])
def test_it_listens_elsewhere_with_tokens_or_when_told_to(host: str) -> None:
    with pytest.raises(RecollectError) as caught:
        check_exposure(host, has_tokens=False, is_insecure=False)
    assert "tokens" in caught.value.hint
    check_exposure(host, has_tokens=True, is_insecure=False)
    check_exposure(host, has_tokens=False, is_insecure=True)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_it_listens_to_its_own_machine_without_any(host: str) -> None:
    check_exposure(host, has_tokens=False, is_insecure=False)


def test_a_port_that_is_taken_is_said_to_be() -> None:
    with listen("127.0.0.1", 0) as first, pytest.raises(RecollectError) as caught:
        listen("127.0.0.1", first.getsockname()[1])
    assert caught.value.code.code == "STORE_UNAVAILABLE"
    assert "--port" in caught.value.hint
