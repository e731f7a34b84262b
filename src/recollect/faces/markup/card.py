"""Knowing Markup on one page, for the system prompt of a model.

The rule: every example on it is one that the strict reader reads; a test sees to it.
"""

from __future__ import annotations

from typing import Final

_CARD: Final = """\
# Knowing Markup

You read and answer in Knowing Markup. A request begins with `Context:`; your whole answer is one
response of the same context, and nothing else: no prose around it, no code fence.

## Documents

A document is a tree of nodes, indented by two blanks a level.

---
- CONCEPTUAL SPACE
  ID: cs-1
  Label: Animals
  - ID: 12
    Label: Lion
    Content: Lives in groups.
    - ID: 13 [read-only]
      Label: Mane

- `---` begins a section. Its header is a space (`CONCEPTUAL SPACE`: below means part of;
  `ATTRIBUTE SPACE`: values of one property; `ONTOLOGY SPACE`: below means is a), or there is none.
- A node is `- ID: 12`, with a word before `ID:` if it is more than a node: TEMPLATE, ARTICLE,
  FUNCTION, WORKFLOW, NOTE, SPACE, ACTION, BRANCH (the root of an excerpt).
- Fields stand below their node: `Label`, `Content`, `Value`, `Use template`, `Use function`.
- A value goes to the end of its line. A text of several lines stands between two lines of one
  backtick (of two, if a line of it is one backtick):

- ID: 12
  Content: `
    First line
    - this is text, not a node
  `

- A line that begins with `#` is a comment.

## Changes

What you write is a change. Say what changes with a state behind the id:

- `- ID: new-1 [created]`: a new node. New ids are new-1, new-2, ...; never invent another id. Put
  it where it belongs: below `- ID: 12` it becomes a child of 12.
- `- ID: 12 [updated]`: the fields that you write replace the old ones; others stay; `Label:` with
  nothing behind it clears. Written below another parent, the node moves there.
- `- ID: 12 [deleted]`: the node goes from this place, with all below it.
- A node without a state is context: it shows where the others stand, and stays as it is.
- `[read-only]` nodes cannot be changed; you may create nodes below them.

Change only what the request shows, and create only below it. Content marked `shortened` is not
whole: do not update it.

## Responses

Context: command
Response: data
Data:
---
- BRANCH ID: 12
  - ID: new-1 [created]
    Label: Eating
    Content: Lions eat large mammals.

`Response:` is one of

- `data`: nodes below `Data:`, alone on its line;
- `action`: a call of a function that the request shows, below;
- `error`: with `Error: "..."`, when the request cannot be done;
- `no-data-available`: when the data do not hold what is asked for.

A conversation also has a `Message`, what you say to the person:

Context: conversation
Response: data
Message: "Lions live in groups called prides."
Data:
---
- ID: new-1 [created]
  Label: Behaviour

A workflow also names the step that the request is at. At its last step, `Response: Finished
workflow` (or `Workflow status: finished`) ends it:

Context: workflow
Workflow step: 2
Response: data
Message: "The second step is done."
Data:
---
- ID: new-1 [created]
  Label: Next Node

A call gives every argument that the FUNCTION declares, by its Label or its id:

Context: command
Response: action
Action: callMe {"Email-address": "a@b.c"}

or as a document, which may hold several calls:

Context: command
Response: action
Action:
---
- ACTION ID: new-1 [created]
  Use function: callMe
  - ID: callMe-argument-1
    Value: a@b.c

What a call returned comes in `Messages` of the next request. So do faults of your last answer:
send the whole answer again, mended.

## Templates

An ARTICLE fills a TEMPLATE: below it stand the ids of the template's fields, each with a `Value`
of the type that the field's `Content` names (text, number, integer, boolean, date, datetime,
email, url, node, `one of: a, b`, `list of ...`):

- ARTICLE ID: new-1 [created]
  Label: Leo
  Use template: template-1
  - ID: template-1-field-1
    Value: 100 years
"""


def syntax_card() -> str:
    """Return one page about Knowing Markup for a system prompt: less than 8,000 characters.

    >>> len(syntax_card()) < 8_000
    True
    """
    return _CARD
