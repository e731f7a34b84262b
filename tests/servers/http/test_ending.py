"""The end of a server: whoever connects at that moment is met, and let go like the others."""

from __future__ import annotations

import asyncio
import socket
from collections import deque

import uvicorn

import recollect
from recollect.servers.http.app import make_app
from recollect.servers.http.server import listen, make_server
from recollect.servers.service import make_service

SOON = 1  # seconds that the server waits for its connections
TIMES = 8  # about half of them meet the moment
LATEST = 20  # connections that stay open


async def ended_amid_connections(server: uvicorn.Server, listener: socket.socket) -> int:
    """Serve, connect in every turn of the loop until nobody listens, and return who is left."""
    address, latest = listener.getsockname(), deque[socket.socket]()
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0)
    server.should_exit = True
    try:
        while listener.fileno() >= 0:
            latest.append(socket.create_connection(address))
            if len(latest) > LATEST:
                latest.popleft().close()
            await asyncio.sleep(0)
    except ConnectionRefusedError:
        pass
    await serving
    left = len(server.server_state.connections)
    for one in latest:
        one.close()
    return left


def test_who_connects_as_the_server_ends_is_let_go() -> None:
    for _ in range(TIMES):
        with recollect.open(":memory:") as nexus, listen("127.0.0.1", 0) as listener:
            service = make_service(nexus, has_worker=False)
            server = make_server(make_app(service), grace_seconds=SOON)
            assert asyncio.run(ended_amid_connections(server, listener)) == 0
