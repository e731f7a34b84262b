"""How near memories are to a question by the embedder that is configured.

The rule: a question is never refused for it. Where the model is away, or another one than that of
the vectors that are kept, the rest of recall answers, and a notice says so. A content that has
ended has no vector any more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from recollect.errors import EMBEDDER_CHANGED, EMBEDDER_UNAVAILABLE, Notice, RecollectError
from recollect.kernel.read.reader import Reader
from recollect.kernel.recall.columns import Columns, Floats
from recollect.model import LIVING


class Compared(NamedTuple):
    """What a model says of the rows of a group."""

    near: Floats | None = None  # the cosine of each with the question; NaN for one without a vector
    model: str | None = None
    notices: tuple[Notice, ...] = ()


def compared(reader: Reader, columns: Columns, question: str) -> Compared:
    """Return how near each row is to a question. Cost: the model, and all vectors of the group."""
    meanings = reader.meanings
    if meanings is None:
        return Compared()
    try:
        spaces = meanings.spaces(reader.session, reader.group.group_id)
        vector = b"" if spaces is None else meanings.question(question)
    except RecollectError as error:
        if error.code not in (EMBEDDER_UNAVAILABLE, EMBEDDER_CHANGED):
            raise
        message = f"{error.message}, so recall compared without the model"
        return Compared(notices=(Notice("compared_without_model", message, error.hint),))
    near = np.full(columns.size, np.nan)
    for space in spaces or ():
        elements, cosines = space.compared(vector)
        if len(elements):
            at = np.minimum(np.searchsorted(elements, columns.element), len(elements) - 1)
            is_its = (elements[at] == columns.element) & (columns.until == LIVING)
            near[is_its] = cosines[at][is_its]
    return Compared(near, meanings.embedder.name) if spaces is not None else Compared()
