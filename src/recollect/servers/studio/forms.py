"""The fields of a form, as a browser sends them.

The rule: every field is a text. A file becomes two of them, its bytes in base64 and, below the
name with `.name` behind it, what it is called; so a page can carry a file on and get it back.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from email.message import Message
from typing import Final
from urllib.parse import parse_qsl

from recollect.errors import INVALID_ARGUMENT, RecollectError

_MOST_FIELDS: Final = 200
_FILES: Final = "multipart/form-data"
_NAMED: Final = re.compile(rb';\s*(name|filename)="([^"]*)"', re.IGNORECASE)
_ESCAPED: Final = (("%22", '"'), ("%0D", "\r"), ("%0A", "\n"))
"""How a browser writes what would end a name."""


def fields_of(content_type: str, body: bytes) -> Mapping[str, str]:
    r"""Return the fields of a form, the lines of texts ending alike.

    INVALID_ARGUMENT for a body that is no form. Cost: the body, copied once.

    >>> fields_of("application/x-www-form-urlencoded", b"a=1%0D%0A2&b=")
    {'a': '1\n2', 'b': ''}
    """
    kind = Message()
    kind["content-type"] = content_type
    try:
        if kind.get_content_type() == _FILES:
            return _parts(body, str(kind.get_boundary("")).encode("latin-1"))
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"
        )
    except ValueError as error:
        raise RecollectError(
            INVALID_ARGUMENT, "the body is not a form", hint="send the fields of the page"
        ) from error
    return {name: _lines(value) for name, value in pairs}


def file_of(field: str) -> bytes:
    """Return the bytes of a file in a field; INVALID_ARGUMENT for what is none."""
    try:
        return urlsafe_b64decode(field)
    except ValueError as error:
        raise RecollectError(
            INVALID_ARGUMENT, "the field holds no file", hint="choose the file again"
        ) from error


def _parts(body: bytes, boundary: bytes) -> Mapping[str, str]:
    """Return the fields of a form with files; ValueError for a body that is not whole."""
    first, *parts, last = (b"\r\n" + body).split(b"\r\n--" + boundary)
    if first or not boundary or not last.startswith(b"--") or len(parts) > _MOST_FIELDS:
        raise ValueError
    fields: dict[str, str] = {}
    for part in parts:
        head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        named = {one.lower(): _unescaped(text) for one, text in _NAMED.findall(head)}
        name, file = named.get(b"name", ""), named.get(b"filename")
        if file is None:
            fields[name] = _lines(content.decode())
        elif file or content:  # without either, no file was chosen
            fields[name] = urlsafe_b64encode(content).decode("ascii")
            fields[f"{name}.name"] = file
    return fields


def _unescaped(given: bytes) -> str:
    text = given.decode()
    for written, meant in _ESCAPED:
        text = text.replace(written, meant)
    return text


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")
