"""One resource fetched to be compared: nothing is run, and nothing private is reached.

The rule: the address that is checked is the address that is connected to, for every redirect
too, so no name can lead elsewhere in between. All of it ends by one deadline, however slowly it
is answered.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urljoin, urlsplit

from recollect.errors import PERMISSION_DENIED, UNAVAILABLE, RecollectError, refused

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MOST_BYTES: Final = 20 * 2**20
SECONDS: Final = 15.0
"""How long connecting and receiving may take, all redirects together."""

REDIRECTS: Final = 5

Gate = Callable[[str], bool]
"""Whether an address may be connected to."""

_PORTS: Final = {"http": 80, "https": 443}
_UNICAST: Final = ipaddress.IPv6Network("2000::/3")  # all that is given out for the internet
_INSIDE: Final = tuple(map(ipaddress.IPv4Network, ("192.0.0.0/24", "168.63.129.16/32")))
"""Addresses of hosts of virtual machines, which older tables of Python call global."""

_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_MOVED: Final = frozenset({301, 302, 303, 307, 308})


def is_public(address: str) -> bool:
    """Return whether an address is one of the public network, by whatever way it leads there.

    >>> is_public("2001:4860:4860::8888"), is_public("64:ff9b::808:808")
    (True, True)
    >>> is_public("127.0.0.1"), is_public("64:ff9b::7f00:1"), is_public("2002:7f00:1::")
    (False, False, False)
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv4Address):
        return _is_public(found)
    inner = found.ipv4_mapped or found.sixtofour
    if found in _NAT64:
        inner = ipaddress.IPv4Address(int(found) & 0xFFFF_FFFF)
    if inner is not None:
        return _is_public(inner)
    return found in _UNICAST and found.is_global


def _is_public(address: ipaddress.IPv4Address) -> bool:
    is_inside = any(address in one for one in _INSIDE)
    return address.is_global and not address.is_multicast and not is_inside


def anywhere(_: str) -> bool:
    """Let every address be open."""
    return True


def content_hash(url: str, is_open: Gate = is_public, within: float = SECONDS) -> str:
    """Return the SHA-256 of what a URL answers with, in hexadecimal.

    PERMISSION_DENIED for an address that is not open, such as a private one; UNAVAILABLE when
    nothing answers, or not with content, or not all of it `within` so many seconds.
    """
    deadline = time.monotonic() + within
    for _ in range(REDIRECTS + 1):
        parts = _parts(url)
        connection = _connected(parts, _address(parts, is_open), deadline)
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("GET", path, headers={"User-Agent": "recollect"})
            with _response(connection.sock, deadline) as response:
                target = response.headers.get("Location")
                if response.status in _MOVED and target:
                    url = _moved(url, target)
                    continue
                if response.status != http.client.OK:
                    raise _unavailable(f"{url} answers {response.status}")
                return _digest(url, response)
        except (OSError, http.client.HTTPException) as error:
            raise _unavailable(f"{url} cannot be read: {type(error).__name__}") from error
        finally:
            connection.close()
    raise _unavailable(f"{url} redirects more than {REDIRECTS} times")


def _moved(url: str, target: str) -> str:
    try:
        return urljoin(url, target)
    except ValueError as error:
        raise _unavailable(f"{url} redirects to no URL") from error


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
        url.encode("ascii")
    except ValueError:
        is_good = False
    if not is_good or any(one <= " " for one in url):
        raise refused(f"{url!r:.100} is not an http or https URL", "check it by hand")
    return parts


def _address(parts: SplitResult, is_open: Gate) -> str:
    """Return the address to connect to; all that the name has must be open."""
    host = str(parts.hostname)
    try:
        found = socket.getaddrinfo(host, _port(parts), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # a name that no host can have: not valid Unicode
        raise _unavailable(f"{host} has no address") from error
    addresses = [str(one[4][0]) for one in found]
    closed = [one for one in addresses if not is_open(one)]
    if closed:
        raise PERMISSION_DENIED.error(
            f"{host} is at {closed[0]}, which is not a public address",
            "allow private addresses if you trust the evidence",
        )
    return addresses[0]


def _connected(parts: SplitResult, address: str, deadline: float) -> http.client.HTTPConnection:
    """Return a connection to an address that speaks for the host of a URL."""
    host, port = str(parts.hostname), _port(parts)
    connection = http.client.HTTPConnection(host, port)
    try:
        connection.sock = socket.create_connection((address, port), _left(deadline))
        if parts.scheme == "https":
            connection.sock.settimeout(_left(deadline))
            context = ssl.create_default_context()
            connection.sock = context.wrap_socket(connection.sock, server_hostname=host)
    except OSError as error:
        connection.close()
        raise _unavailable(f"{host} cannot be reached: {type(error).__name__}") from error
    return connection


class _Received(socket.SocketIO):
    """What a socket receives, for no longer than until a deadline."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        super().__init__(connected, "r")
        self._connected, self._deadline = connected, deadline

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._connected.settimeout(_left(self._deadline))
        return super().readinto(buffer)


def _response(connected: socket.socket, deadline: float) -> http.client.HTTPResponse:
    """Return what answers the request that was sent; its head was received."""
    response = http.client.HTTPResponse(connected, method="GET")
    response.fp = io.BufferedReader(_Received(connected, deadline))
    response.begin()
    return response


def _left(deadline: float) -> float:
    """Return the seconds until a deadline; TimeoutError after it."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _port(parts: SplitResult) -> int:
    return parts.port or _PORTS[parts.scheme]


def _digest(url: str, response: http.client.HTTPResponse) -> str:
    digest, size = hashlib.sha256(), 0
    while part := response.read(65_536):
        size += len(part)
        if size > MOST_BYTES:
            raise _unavailable(f"{url} has more than {MOST_BYTES} bytes")
        digest.update(part)
    if response.length:
        raise _unavailable(f"{url} breaks off {response.length} bytes before its end")
    return digest.hexdigest()


def _unavailable(message: str) -> RecollectError:
    return UNAVAILABLE.error(message, "try again later, or check it by hand")
