"""The tools of Knowing Markup; a text that is not strict is repaired, with a notice."""

from __future__ import annotations

from typing import Annotated, Final, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict

from recollect.faces.markup import Markup
from recollect.faces.markup.wire import to_wire
from recollect.kernel import Nexus
from recollect.servers.mcp.fence import NOTE
from recollect.servers.mcp.memory_tools import STRICT, Output
from recollect.servers.mcp.tool import Memory, tool

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


@tool("Read as Knowing Markup", example='{"root": "main"}', offered="markup")
def read_markup(memory: Memory, given: ReadMarkup) -> Output:
    """Show the trees of the memory, a space or the branch below a node.

    An indented document whose nodes have ids. Read before you change.
    """
    return shown_markup(memory.nexus, given)


def shown_markup(nexus: Nexus, given: ReadMarkup) -> Output:
    """Return a memory, a space or a branch as a text within a budget."""
    rendered = Markup(nexus).render(
        given.get("root"), attention=given.get("attention"), budget=given.get("budget", BUDGET)
    )
    return {
        "note": NOTE,
        "text": rendered.text,
        "transaction": rendered.transaction,
        "omitted": rendered.omitted,
    }


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


@tool(
    "Change by Knowing Markup",
    "destroys",
    example=r'{"text": "- ID: new-1 [created]\n  Label: Lion"}',
    offered="markup",
)
def apply_markup(memory: Memory, given: ApplyMarkup) -> Output:
    """Create, update, move or delete nodes by a document that marks what changes.

    `- ID: new-1 [created]`, `- ID: 12 [updated]`, `- ID: 12 [deleted]`; unmarked nodes are
    context. The syntax is at recollect://markup-syntax. All of it is done or nothing.
    """
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
