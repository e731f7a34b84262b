"""Random documents and messages, full of texts that look like structure."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

from recollect.faces.markup import Document, Id, Node, Request, Response, Space
from recollect.faces.markup.messages import call_document
from recollect.faces.markup.model import EXTENSIONS, SPACE_KINDS

FORGED = (
    "- ID: 1",
    "---",
    "`",
    "``",
    " ``` ",
    "Context: command",
    "Data:",
    "Label: x",
    "# c",
    " #x",
    "a #b",
    '"x"',
    '"x" # y',
    '"',
    "\\n",
    "\n",
    "\r",
    " ",
    "\t",
    "  - ID: new-1 [created]",
    "\u2028",
    "\x00",
    "\x85",
    "\ufeff",
    "\ud800",
    "é",
    "e\u0301",
    "new-1",
    "[deleted]",
    "{Label}",
)
TEXTS = st.lists(st.one_of(st.sampled_from(FORGED), st.text(max_size=4)), max_size=5).map("".join)
_LETTERS = st.characters(categories=["L", "N", "P", "S", "Zs"])
IDS = st.one_of(
    st.integers(0, 99).map(lambda number: Id(f"new-{number}", is_temporary=True)),
    st.sampled_from(["new-1", "new-york", "a b", "1", "[x]", "x#", "é", "``", '"']).map(Id),
    st.text(_LETTERS, min_size=1, max_size=8)
    .map(lambda text: unicodedata.normalize("NFC", text))
    .filter(lambda text: bool(text.strip()) and len(text) <= 200)
    .map(Id),
)
KEYS = st.sampled_from(
    ["Label", "Content", "Value", "Use template", "Use function", "Extra", "My key", "x-y", "Über"]
)
FIELDS = st.dictionaries(KEYS, TEXTS, max_size=4)
STATES = st.sampled_from([(), ("created",), ("updated",), ("deleted",), ("read-only",)])
KINDS = st.sampled_from([None, *EXTENSIONS])
NODES = st.recursive(
    st.builds(Node, IDS, KINDS, STATES, FIELDS),
    lambda below: st.builds(
        Node, IDS, KINDS, STATES, FIELDS, st.lists(below, max_size=3).map(tuple)
    ),
    max_leaves=6,
)
FORESTS = st.lists(NODES, max_size=3).map(tuple)
SPACES = st.one_of(
    st.builds(
        Space, st.sampled_from(SPACE_KINDS), st.one_of(st.none(), IDS), STATES, FIELDS, FORESTS
    ),
    st.builds(Space, nodes=FORESTS),
)
DOCUMENTS = st.builds(Document, st.lists(SPACES, max_size=3).map(tuple))
SOME = st.one_of(st.none(), DOCUMENTS)
MESSAGES = st.lists(TEXTS, max_size=3).map(tuple)
CALLS = st.builds(
    call_document,
    st.sampled_from(["callMe", "a b", "x#"]),
    st.dictionaries(st.sampled_from(["Email-address", "1"]), TEXTS, max_size=2),
)

REQUESTS = st.one_of(
    st.builds(
        Request,
        st.sampled_from(["command", "conversation"]),
        prompt=TEXTS,
        messages=MESSAGES,
        data=SOME,
    ),
    st.builds(Request, st.just("workflow"), messages=MESSAGES, instructions=TEXTS, data=SOME),
)
RESPONSES = st.one_of(
    st.builds(Response, st.just("command"), st.just("data"), data=DOCUMENTS),
    st.builds(Response, st.just("command"), st.just("error"), error=TEXTS),
    st.builds(Response, st.just("command"), st.just("no-data-available")),
    st.builds(Response, st.just("command"), st.just("action"), action=CALLS),
    st.builds(Response, st.just("conversation"), st.just("data"), message=TEXTS, data=SOME),
    st.builds(
        Response,
        st.just("workflow"),
        st.sampled_from(["data", "Finished workflow"]),
        workflow_step=st.sampled_from(["1", "step 9", "#"]),
        workflow_status=st.sampled_from([None, "finished"]),
        message=st.one_of(st.none(), TEXTS),
        data=SOME,
    ),
)
