"""Clients of others: imported when a service is made, and told where they or their server lack."""

from __future__ import annotations

import subprocess
import sys

import pytest

from faces.knowledge.services.servers import free_port
from faces.knowledge.services.test_key_value import code_of
from recollect.errors import RecollectError
from recollect.faces.knowledge.services import RedisKeyValueService

CLIENTS = ("chromadb", "elasticsearch", "lancedb", "neo4j", "networkx", "numpy", "redis")

MADE = {
    "elasticsearch": 'ElasticsearchRetrievalService("http://localhost:9200", "name")',
    "neo4j": 'Neo4jGraphService("bolt://localhost:7687", None)',
    "chroma": 'ChromaRetrievalService("knowledge", "folder")',
    "lancedb": 'LanceDBRetrievalService("folder")',
    "networkx": "NetworkxGraphService()",
    "redis": 'RedisKeyValueService("localhost", 6379, 0, "prefix")',
}

WITHOUT = """
import sys
for name in {clients}:
    sys.modules[name] = None  # what is not installed
from recollect.errors import RecollectError
from recollect.faces.knowledge.services import *
try:
    {made}
except RecollectError as error:
    print(error.code.code, error.hint)
"""


def said(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout  # fmt: skip


def test_the_face_imports_no_client() -> None:
    code = "import recollect.faces.knowledge, recollect.faces.knowledge.services, sys; print(*sys.modules)"
    assert set(said(code).split()) & set(CLIENTS) == set()


@pytest.mark.parametrize("extra", MADE)
def test_a_client_that_is_not_installed_is_named_with_its_extra(extra: str) -> None:
    told = said(WITHOUT.format(clients=CLIENTS, made=MADE[extra]))
    assert told.startswith("UNAVAILABLE ")
    assert f'".[{extra}]"' in told


def test_a_redis_server_that_is_not_there_is_told_when_it_is_used() -> None:
    with RedisKeyValueService("127.0.0.1", free_port(), 0, "prefix", "secret") as service:
        assert not service.ping()
        with pytest.raises(RecollectError) as caught:
            service.get("key")
        assert caught.value.code.code == "UNAVAILABLE"
        assert "secret" not in str(caught.value)
        assert code_of(service.put, "key", 1) == "UNAVAILABLE"
