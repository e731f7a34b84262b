"""The command that serves a memory over HTTP until it is stopped."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.servers.cli.needed import require
from recollect.servers.cli.output import Output, output
from recollect.servers.settings import Located, Settings
from recollect.servers.wiring import open_nexus

if TYPE_CHECKING:
    from recollect.servers.http.plan import Plan
    from recollect.servers.http.processes import Begun


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    host: str | None
    port: int | None
    tokens: Path | None
    functional: frozenset[str]
    log: str
    threads: int | None
    processes: int | None
    has_worker: bool
    is_insecure: bool
    functions: str | None = None
    check_at: str | None = None


def serve_memory(database: str | None, asked: Asked, *, as_json: bool) -> None:
    """Open the memory, listen, say where, and serve until SIGTERM or Ctrl-C."""
    settings = Settings()
    with output(as_json=as_json) as out:
        require("fastapi", "server", "the server")
        _serve(settings.database(database), settings, asked, out)


def _serve(located: Located, settings: Settings, asked: Asked, out: Output) -> None:
    from recollect.servers.http.logs import Form, log_event
    from recollect.servers.http.options import LOOPBACK, Options
    from recollect.servers.http.plan import Plan, serve_in_processes
    from recollect.servers.http.server import check_exposure, is_loopback, listen, url_of
    from recollect.servers.http.tokens import Tokens, read_tokens
    from recollect.servers.learning import make_learner

    learner = make_learner(settings.learning())
    host, path = settings.host(asked.host), settings.tokens(asked.tokens)
    tokens = Tokens() if path is None else read_tokens(path)
    check_exposure(host, has_tokens=bool(tokens), is_insecure=asked.is_insecure)
    hosts = frozenset((*LOOPBACK, host)) if is_loopback(host) else None
    options = Options(tokens=tokens, hosts=hosts, threads=_threads(asked, settings))
    log = Form(asked.log)
    check_at = settings.check_at(asked.check_at)
    plan = Plan(options, asked.functional, asked.has_worker, log, asked.functions, check_at)
    group, count = settings.group(), _processes(asked, located)
    # What is wrong with the memory is told before anything is begun.
    with (
        open_nexus(located, group, create=True) as nexus,
        listen(host, settings.port(asked.port)) as listener,
    ):
        url = url_of(listener)

        def begun() -> None:
            if out.as_json:
                told = {"url": url, "path": located.path, "worker": asked.has_worker}
                out.json({"result": {**told, "processes": count}})
            out.say(f"serving {located.path} at {url}", "green")
            log_event("listening", url=url, processes=count)

        if learner.warning and asked.has_worker:
            out.warn(learner.warning, learner.hint)
        if count == 1:
            from recollect.servers.http.serving import serve_nexus

            serve_nexus(nexus, plan, listener, begun, learner.extractor)
        else:
            nexus.close()
            serve_in_processes(partial(_open, located, group), plan, listener, count, begun)
        log_event("stopped")


def _open(located: Located, group: str, plan: Plan, listener: socket.socket, begun: Begun) -> None:
    from recollect.servers.http.serving import serve_nexus
    from recollect.servers.learning import make_learner

    extractor = make_learner(Settings().learning()).extractor
    with open_nexus(located, group) as nexus:
        serve_nexus(nexus, plan, listener, begun, extractor)


def _processes(asked: Asked, located: Located) -> int:
    """Return how many processes serve: one, unless more are asked for."""
    count = asked.processes or 1
    if count > 1 and located.file is None:
        raise RecollectError(
            INVALID_ARGUMENT,
            f"{located.path} has no file, and processes share a memory through its file",
            hint="leave --processes out",
        )
    return count


def _threads(asked: Asked, settings: Settings) -> int:
    """Return how many requests are worked on at once: more where they wait for the network."""
    from recollect.servers.http.options import NETWORK_THREADS, Options

    if asked.threads is not None:
        return asked.threads
    embedding = settings.embedding()
    waits = embedding is not None and embedding.embedder == "http"
    return NETWORK_THREADS if waits else Options().threads
