"""The tools and resources of Knowing Markup: a memory read and edited as trees.

The rule: what a model reads fits its context, and what it writes is repaired where it is not
strict, with a notice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict

from recollect.faces.markup import Markup
from recollect.faces.markup.wire import to_wire
from recollect.kernel import Nexus
from recollect.servers.mcp.fence import NOTE
from recollect.servers.mcp.inputs import STRICT
from recollect.servers.mcp.memory import Memory

BUDGET: Final = 4_000
"""What is shown at once where no budget is given: a third of the bytes, about tokens."""

_MOST_BUDGET: Final = 20_000
_TEXT: Final = 2**20


@with_config(STRICT)
class ReadMarkup(TypedDict):
    """What is to be shown."""

    root: NotRequired[Annotated[str, Field(description="a space or a node; everything")]]
    attention: NotRequired[Annotated[str, Field(description="the node to show most of")]]
    budget: NotRequired[
        Annotated[int, Field(ge=1, le=_MOST_BUDGET, description="of the text, in tokens; 4000")]
    ]


@with_config(STRICT)
class ApplyMarkup(TypedDict):
    """A change."""

    text: Annotated[
        str,
        Field(
            min_length=1,
            max_length=_TEXT,
            description="Knowing Markup; new nodes are `- ID: new-1 [created]`",
        ),
    ]
    base: NotRequired[Annotated[int, Field(description="the transaction of what was read before")]]
    dry_run: NotRequired[Annotated[bool, Field(description="tell only what would change")]]


class ShownMarkup(TypedDict):
    """A memory as text."""

    note: str
    text: str
    transaction: int | None
    omitted: Annotated[int, Field(description="nodes left out below those shown")]


class AppliedMarkup(TypedDict):
    """What changed."""

    text: Annotated[str, Field(description="the document with permanent ids")]
    ids: Annotated[dict[str, str], Field(description="permanent ids by temporary ones")]
    changes: list[str]
    notices: list[dict[str, Any]]
    transaction: int | None
    is_dry_run: bool


def read_markup(nexus: Nexus, given: Mapping[str, Any]) -> Mapping[str, object]:
    """Show a memory, a space or a branch within a budget."""
    rendered = Markup(nexus).render(
        given.get("root"), attention=given.get("attention"), budget=given.get("budget", BUDGET)
    )
    return {
        "note": NOTE,
        "text": rendered.text,
        "transaction": rendered.transaction,
        "omitted": rendered.omitted,
    }


def apply_markup(memory: Memory, given: Mapping[str, Any]) -> Mapping[str, object]:
    """Do what a text changes."""
    applied = Markup(memory.nexus, actor=memory.actor).apply(
        given["text"], base=given.get("base"), dry_run=given.get("dry_run", False), repair=True
    )
    return {
        "text": to_wire(applied.reply),
        "ids": dict(applied.ids),
        "changes": [str(one) for one in applied.changes],
        "notices": [one.to_wire() for one in applied.notices],
        "transaction": applied.transaction,
        "is_dry_run": applied.is_dry_run,
    }
