"""Servers that speak the protocols of Elasticsearch and Neo4j, or those that the environment names.

RECOLLECT_TEST_ELASTICSEARCH_URL and RECOLLECT_TEST_NEO4J_URL, with name and password in them, name
real ones; the tests delete the index `recollect-test` there, and every node with our label. Without
them Elasticsearch is `osmem-server`, which knows plain JSON only, and Neo4j is ArcadeDB.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import neo4j
from elastic_transport import HttpHeaders, Urllib3HttpNode
from elasticsearch import Elasticsearch
from osmem_server import OsmemServer

from faces.knowledge.services.servers import free_port
from recollect.faces.knowledge.services import ElasticsearchRetrievalService, Neo4jGraphService
from recollect.servers.settings import Settings

INDEX = "recollect-test"
PASSWORD = "only-for-tests"

BOLT = """
import sys
import arcadedb_embedded
folder, bolt, http, password = sys.argv[1:]
server = arcadedb_embedded.create_server(folder, root_password=password, config={
    "http_port": int(http), "bolt_port": int(bolt),
    "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin"})
server.start()
server.create_database("graph")
print("\\nready", flush=True)
sys.stdin.read()
server.stop()
"""


class PlainJson(Urllib3HttpNode):
    """Asks for plain JSON, as a server does that does not know Elasticsearch's own media types."""

    def perform_request(self, method: str, target: str, body: Any = None, headers: Any = None, request_timeout: Any = None) -> Any:  # fmt: skip
        told = HttpHeaders(headers or {})
        for name in ("accept", "content-type"):
            if name in told:
                plain = told[name].replace("application/vnd.elasticsearch+", "application/")
                told[name] = plain.partition(";")[0]
        return super().perform_request(method, target, body, told, request_timeout)


@cache
def elasticsearch() -> Elasticsearch:
    url = Settings().environment.get("RECOLLECT_TEST_ELASTICSEARCH_URL")
    if url:
        return Elasticsearch(url)
    server = OsmemServer.start()
    atexit.register(server.close)
    return Elasticsearch(server.url, node_class=PlainJson)


@cache
def bolt() -> tuple[str, tuple[str, str], str | None]:
    """Return where Neo4j is, who asks, and which database."""
    url = urlsplit(Settings().environment.get("RECOLLECT_TEST_NEO4J_URL", ""))
    if url.hostname:
        place = f"{url.scheme}://{url.hostname}:{url.port or 7687}"
        return place, (url.username or "neo4j", url.password or ""), url.path.strip("/") or None
    port, folder = free_port(), tempfile.TemporaryDirectory()
    server = subprocess.Popen(
        [sys.executable, "-c", BOLT, folder.name, str(port), str(free_port()), PASSWORD],
        cwd=folder.name,  # where it writes its log
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    atexit.register(folder.cleanup)
    atexit.register(server.wait)
    atexit.register(server.kill)
    said = []
    for line in server.stdout:
        said.append(line)
        if line.strip() == "ready":
            return f"bolt://127.0.0.1:{port}", ("root", PASSWORD), "graph"
    raise AssertionError(f"ArcadeDB did not start: {''.join(said)[-2_000:]}")


def elasticsearch_service(_: Path) -> ElasticsearchRetrievalService:
    elasticsearch().options(ignore_status=404).indices.delete(index=INDEX)
    return ElasticsearchRetrievalService(elasticsearch(), INDEX)


def neo4j_service(_: Path) -> Neo4jGraphService:
    place, auth, database = bolt()
    with neo4j.GraphDatabase.driver(place, auth=auth) as driver:
        driver.execute_query("MATCH (n:RecollectNode) DETACH DELETE n", database_=database)
    return Neo4jGraphService(place, auth, database)
