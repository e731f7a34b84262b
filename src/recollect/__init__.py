"""Recollect: one durable, auditable knowledge graph for agents, and the ways to speak to it.

>>> import recollect
>>> with recollect.open(":memory:") as nexus:
...     answer = nexus.write('UPSERT { CONCEPT @d { {type: "Drug", name: "Aspirin"} } }')
...     nexus.read('FIND(COUNT(?d) AS ?n) WHERE { ?d {type: "Drug"} }').results[0].rows
[(1,)]
"""

from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.model import AsOf, Concept, Found, Key, Limits, Link

__all__ = ["AsOf", "Concept", "Found", "Key", "Limits", "Link", "Nexus", "RecollectError", "open"]

open = Nexus.open
