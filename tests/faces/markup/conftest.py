"""A memory with spaces, and a decoy group with the same ids that says other things."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect.faces.markup import Markup
from recollect.kernel import Nexus

ZOO = """---
- CONCEPTUAL SPACE
  ID: zoo
  Label: Zoo
  - ID: 1
    Label: Animals
    - ID: 2
      Label: Lion
      Content: Roars.
      - ID: 3
        Label: Mane
    - ID: 4
      Label: Zebra
  - ID: 5
    Label: Keepers
---
- ATTRIBUTE SPACE
  ID: colors
  Label: Colors
  - ID: 6
    Label: Yellow
---
- ONTOLOGY SPACE
  ID: kinds
  Label: Kinds
  - ID: 7
    Label: Mammal
"""
"""A memory to change; the next free id is 8."""

DECOY = ZOO.replace("Lion", "Decoy lion").replace("Roars.", "Decoy roars.")


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    """An empty memory beside a group with other nodes of the same ids."""
    with recollect.open(":memory:") as opened:
        decoy = Markup(opened.group("decoy"))
        decoy.load(DECOY)
        decoy.apply("- ID: 5\n  - ID: new-1 [created]\n    Label: Decoy\n")
        before = decoy.render().text
        yield opened
        assert decoy.render().text == before
        assert opened.doctor().is_well


@pytest.fixture
def markup(nexus: Nexus) -> Markup:
    """Knowing Markup on the empty memory."""
    return Markup(nexus)


@pytest.fixture
def zoo(markup: Markup) -> Markup:
    """Knowing Markup on the memory of `ZOO`."""
    markup.load(ZOO)
    return markup
