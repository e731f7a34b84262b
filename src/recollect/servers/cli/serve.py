"""The command that serves a memory over HTTP until it is stopped."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from recollect.servers.cli.needed import require
from recollect.servers.cli.output import Output, output
from recollect.servers.settings import Located, Settings
from recollect.servers.wiring import open_nexus

GRACE_SECONDS = 10
"""How long requests and steps of the pipeline that are running may take to end."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    host: str | None
    port: int | None
    tokens: Path | None
    functional: frozenset[str]
    log: str
    threads: int | None
    has_worker: bool
    is_insecure: bool


def serve_memory(database: str | None, asked: Asked, *, as_json: bool) -> None:
    """Open the memory, listen, say where, and serve until SIGTERM or Ctrl-C."""
    settings = Settings()
    with output(as_json=as_json) as out:
        require("fastapi", "server", "the server")
        _serve(settings.database(database), settings, asked, out)


def _serve(located: Located, settings: Settings, asked: Asked, out: Output) -> None:
    from recollect.faces.operations import Policy
    from recollect.servers.http import logs
    from recollect.servers.http.app import make_app
    from recollect.servers.http.metrics import Metrics
    from recollect.servers.http.options import LOOPBACK, Options
    from recollect.servers.http.server import check_exposure, is_loopback, listen, serve, url_of
    from recollect.servers.http.tokens import Tokens, read_tokens
    from recollect.servers.http.watching import observer, watcher
    from recollect.servers.learning import make_learner
    from recollect.servers.service import at_work, make_service

    learner = make_learner(settings.learning())
    host, path = settings.host(asked.host), settings.tokens(asked.tokens)
    tokens = Tokens() if path is None else read_tokens(path)
    check_exposure(host, has_tokens=bool(tokens), is_insecure=asked.is_insecure)
    with (
        open_nexus(located, settings.group(), create=True) as nexus,
        listen(host, settings.port(asked.port)) as listener,
    ):
        logs.begin_log(logs.Form(asked.log), sys.stderr)
        metrics = Metrics()
        service = make_service(
            nexus,
            extractor=learner.extractor,
            policy=Policy(functional=asked.functional),
            has_worker=asked.has_worker,
            observer=observer(metrics),
            watcher=watcher(metrics),
        )
        hosts = frozenset((*LOOPBACK, host)) if is_loopback(host) else None
        options = Options(tokens=tokens, hosts=hosts, threads=_threads(asked, settings))
        app = make_app(service, options, metrics)
        url = url_of(listener)
        if learner.warning and asked.has_worker:
            out.warn(learner.warning, learner.hint)
        if out.as_json:
            told = {"url": url, "path": located.path, "worker": asked.has_worker}
            out.json({"result": told})
        out.say(f"serving {located.path} at {url}", "green")
        logs.log_event("listening", url=url)
        with at_work(service, GRACE_SECONDS):
            serve(app, listener, grace_seconds=GRACE_SECONDS)
        logs.log_event("stopped")


def _threads(asked: Asked, settings: Settings) -> int:
    """Return how many requests are worked on at once: more where they wait for the network."""
    from recollect.servers.http.options import NETWORK_THREADS, Options

    if asked.threads is not None:
        return asked.threads
    embedding = settings.embedding()
    waits = embedding is not None and embedding.embedder == "http"
    return NETWORK_THREADS if waits else Options().threads
