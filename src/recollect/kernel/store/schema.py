"""The numbers and names in the tables that every layer must agree on."""

from __future__ import annotations

from recollect.model import CONCEPT_BIT as CONCEPT_BIT
from recollect.model import LINK_BIT as LINK_BIT
from recollect.model import LIVING as LIVING

EVERY_GROUP = -1
"""Below the number of any group, and of one that is not there: declared for every group."""

STRICT = "strict"
"""The mode of a group that declares what it uses; a group without a mode is open."""

TALLY_CONCEPTS = "concept"  # term: type. Living concepts of it
TALLY_LINKS = "link"  # term: predicate. Living links of it
TALLY_KEYED = "keyed"  # term: predicate. Links of it that have a key; closed ones too
TALLY_LINK_SUBJECTS = "link_subjects"  # term: predicate. Links of it about a link; closed too
TALLY_LINK_OBJECTS = "link_objects"  # term: predicate. Links of it to a link; closed too
TALLY_BOUNDED_CONCEPTS = "bounded_concept"  # term: type. Those not true for ever; closed too
TALLY_BOUNDED_LINKS = "bounded_link"  # term: predicate. Those not true for ever; closed too
TALLY_DOCUMENTS = "documents"  # term: partition's part number. Documents in the text index
TALLY_TOKENS = "tokens"  # term: the same. Their tokens
