"""Open a nexus as the settings say.

The embedder that the settings name.

The rule: its packages are loaded only where one is named, so that every other start stays quick.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

from recollect.errors import (
    NOT_FOUND,
    STORE_UNAVAILABLE,
    RecollectError,
    load_extra,
    nearest,
    refused,
)
from recollect.faces.kinds import open_memory
from recollect.kernel import Nexus
from recollect.servers.settings import DEFAULT_GROUP, EmbeddingSettings, Located, Settings

if TYPE_CHECKING:
    from recollect.embeddings import Embedder

_EXTRAS: Final = {
    "http": "embed",
    "minilm": "minilm",
    "fastembed": "fastembed",
    "sentence-transformers": "sentence-transformers",
}


def make_embedder(embedding: EmbeddingSettings) -> Embedder:
    """Return the embedder; its model is loaded when it is first asked.

    INVALID_ARGUMENT for a model without a name, UNAVAILABLE without the extra it needs.
    """
    if not embedding.model and embedding.embedder != "minilm":
        raise refused(
            "RECOLLECT_EMBEDDER_MODEL is not set, so no model is named",
            "set it to the name of a model",
        )
    module = _module(embedding.embedder)
    match embedding.embedder:
        case "http":
            made: Embedder = module.HttpEmbedder(
                embedding.model,
                key=embedding.key or "none",
                url=embedding.url or module.DEFAULT_URL,
                dimension=embedding.dimension,
                timeout_seconds=embedding.timeout_seconds,
            )
        case "minilm":
            made = module.MiniLmEmbedder()
        case "fastembed":
            made = module.FastEmbedder(embedding.model, embedding.dimension)
        case _:
            made = module.SentenceTransformersEmbedder(embedding.model, embedding.dimension)
    return made


def _module(embedder: str) -> Any:  # noqa: ANN401 - loaded only by those who embed
    module = f"recollect.embeddings.{embedder.replace('-', '_')}"
    return load_extra(module, _EXTRAS[embedder], "texts become vectors through it")


logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # errors of ours say what it would

FEW_GROUPS = 10
"""So many names of groups fit into an error."""


def open_nexus(
    located: Located, group: str, *, create: bool = False, is_checked: bool = True
) -> Nexus:
    """Open the database at a group; a missing file is refused unless it may be created.

    What is wrong with a file is told with its name.
    """
    try:
        if not located.exists:
            if not create:
                raise refused(
                    f"there is no memory at {located.shown} ({located.reason})",
                    f"{quote(Settings().program())} init {quote(located.shown)}",
                )
            if located.is_own and located.file is not None:
                make_folder(located.file.parent)
        embedding = Settings().embedding()
        embedder = None if embedding is None else make_embedder(embedding)
        mode = "keyword" if embedding is None else embedding.search_mode
        return open_memory(
            located.path,
            group=group,
            embedder=embedder,
            search_mode=mode,
            is_checked=is_checked,
            compare_every=Settings().compare_every(),
        )
    except RecollectError as error:
        if error.code.category != "storage":
            raise
        raise replace(error, message=f"{located.shown}: {error.message}") from error


def require_group(nexus: Nexus) -> None:
    """Refuse a group that was never written to with KIP_3002; a new memory has `default`."""
    absent = absent_group(nexus)
    if absent is not None:
        raise absent


def absent_group(nexus: Nexus) -> RecollectError | None:
    """Return what to say of a group that was never written to; a new memory has `default`."""
    name, names = nexus.group_name, nexus.groups()
    if name in names or (not names and name == DEFAULT_GROUP):
        return None
    known = nearest(name, names)
    there = f" (there are: {_few(names)})" if names and not known else ""
    hint = f"use --group {quote(known[0])}" if known else "recollect groups"
    return NOT_FOUND.error(f'no group is named "{name}"{there}', hint, known=known)


def _few(names: Sequence[str]) -> str:
    more = len(names) - FEW_GROUPS
    return ", ".join(names[:FEW_GROUPS]) + (f" and {more:,} more" if more > 0 else "")


def make_folder(folder: Path) -> None:
    """Make the folder of the user's own data if it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise STORE_UNAVAILABLE.error(
            f"{folder} cannot be made: {error.strerror}", "name another place with --db"
        ) from error
