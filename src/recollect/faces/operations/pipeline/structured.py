"""The extractor that needs no model: an episode that says in JSON what is in it."""

from __future__ import annotations

import orjson

from recollect.errors import RecollectError
from recollect.faces.operations.pipeline.extraction import (
    NOTHING,
    check_refs,
    checked_extraction,
    outside_refs,
)
from recollect.faces.operations.pipeline.ports import Episode, Extracted, Known, Refused, Rejected

_MEMBERS = ("nodes", "edges")


class StructuredExtractor:
    """Takes the body of a `json` episode as it is; everything else says nothing to it.

    A body without `nodes` and `edges` is other JSON, and says nothing either.
    """

    def extract(
        self, episode: Episode, known: Known, rejected: Rejected | None
    ) -> Extracted | Refused:
        """Return the body, checked."""
        del rejected
        given = stated(episode)
        if given is None:
            return Extracted(NOTHING)
        try:
            extraction = checked_extraction(given)
            check_refs(extraction, known.node_types(sorted(outside_refs(extraction))))
        except RecollectError as error:
            return Refused(error.message)
        return Extracted(extraction)


def stated(episode: Episode) -> dict[str, object] | None:
    """Return the JSON object of an episode that states nodes or edges itself, unchecked."""
    if episode.source != "json":
        return None
    try:
        given = orjson.loads(episode.body)
    except orjson.JSONDecodeError:
        return None
    is_stated = isinstance(given, dict) and any(one in given for one in _MEMBERS)
    return given if is_stated else None
