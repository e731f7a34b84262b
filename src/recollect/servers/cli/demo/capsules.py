"""The capsules the demo learns from: the specification's own, and those written from tables."""

from __future__ import annotations

import json
from collections.abc import Iterable

from recollect.model import Value
from recollect.node import dataclass, field

SELF = """\
// Who remembers: PRIMER begins with it.
UPSERT {
  CONCEPT @self {
    {type: "Person", name: "$self"}
    SET ATTRIBUTES {
      role: "The memory of the demo",
      objectives: ["Know the ISO tables of countries and languages", "Learn and be corrected"],
      capabilities: ["Answer questions in KIP", "Search in English and Chinese"]
    }
  }
}"""

PRECONDITIONS = """\
// What the specification's examples take to be known already.
UPSERT {
  CONCEPT @nootropic { {type: "DrugClass", name: "Nootropic"} }
  CONCEPT @fog { {type: "Symptom", name: "Brain Fog"} }
  CONCEPT @aspirin { {type: "Drug", name: "Aspirin"} }
  CONCEPT @stroke { {type: "Condition", name: "Stroke"} }
}"""

COGNIZINE = """\
// Knowledge Capsule: cognizin.v1.0
// Description: Defines the novel nootropic drug "Cognizine" and its effects.
UPSERT {
  // Define the main drug concept: Cognizine
  CONCEPT @cognizine {
    { type: "Drug", name: "Cognizine" }
    SET ATTRIBUTES {
      molecular_formula: "C12H15N5O3",
      dosage_form: { "type": "tablet", "strength": "500mg" },
      risk_level: 2,
      description: "A novel nootropic drug designed to enhance cognitive functions."
    }
    SET PROPOSITIONS {
      // Link to an existing concept (Nootropic)
      ("is_class_of", { type: "DrugClass", name: "Nootropic" })

      // Link to an existing concept (Brain Fog)
      ("treats", { type: "Symptom", name: "Brain Fog" })

      // Link to another new concept defined within this capsule (@neural_bloom)
      ("has_side_effect", @neural_bloom) WITH METADATA {
        // This specific proposition has its own metadata
        confidence: 0.75,
        source: "Preliminary Clinical Trial NCT012345"
      }
    }
  }

  // Define the new side effect concept: Neural Bloom
  CONCEPT @neural_bloom {
    { type: "Symptom", name: "Neural Bloom" }
    SET ATTRIBUTES {
      description: "A rare side effect characterized by a temporary burst of creative thoughts."
    }
    // This concept has no outgoing propositions in this capsule
  }
}
WITH METADATA {
  // Global metadata for all facts in this capsule
  source: "KnowledgeCapsule:Nootropics_v1.0",
  author: "LDC Labs Research Team",
  confidence: 0.95,
  status: "reviewed"
}"""

STROKE_PREVENTION = """\
// Aspirin is used at a 100mg dosage to prevent stroke in high-risk adults.
UPSERT {
  PROPOSITION @prevention_link {
    (
      { type: "Drug", name: "Aspirin" },
      "prevents",
      { type: "Condition", name: "Stroke" }
    )
    // Intrinsic attributes of the fact
    SET ATTRIBUTES {
      dosage: "100mg",
      patient_group: "high-risk adults"
    }
  }
  // Metadata about this fact
  WITH METADATA {
    source: "Clinical Guideline XYZ-2023",
    confidence: 0.98,
    evidence: ["Section 3.1, Guideline XYZ-2023"],
    created_at: "2023-11-10T14:20:10Z",
    last_updated_at: "2023-11-10T14:20:10Z",
    valid_from: "2023-01-01T00:00:00Z",
    status: "active",
    author: "DataPipeline:guideline_importer",
    access_level: "public",
    review_info: {
      "last_reviewed_by": "Expert:dr_smith",
      "last_reviewed_at": "2024-02-20T11:00:00Z"
    }
  }
}"""

STATEMENT = """\
// Zhang San stated that a paper cites, as its evidence, that Cognizine treats Brain Fog.
UPSERT {
  CONCEPT @zhang { {type: "User", name: "Zhang San"} }
  CONCEPT @paper {
    {type: "Paper", name: "Clear Heads"}
    SET ATTRIBUTES { doi: "10.5555/clear-heads" }
  }
  PROPOSITION @effect {
    ({type: "Drug", name: "Cognizine"}, "treats", {type: "Symptom", name: "Brain Fog"})
  }
  PROPOSITION @citation { (@paper, "cites_as_evidence", @effect) }
  PROPOSITION @statement { (@zhang, "stated", @citation) }
}"""

CORRECTION = """\
// A larger trial did not see Neural Bloom, but did see something else.
DELETE PROPOSITIONS ?reported
WHERE {
  ?reported (
    {type: "Drug", name: "Cognizine"}, "has_side_effect", {type: "Symptom", name: "Neural Bloom"}
  )
}

UPSERT {
  CONCEPT @cognizine {
    {type: "Drug", name: "Cognizine"}
    SET PROPOSITIONS {
      ("has_side_effect", @dreams) WITH METADATA {
        source: "Clinical Trial NCT067890",
        confidence: 0.9
      }
    }
  }
  CONCEPT @dreams { {type: "Symptom", name: "Vivid Dreams"} }
}"""


@dataclass(frozen=True, slots=True)
class DemoTarget:
    """The concept a link ends in."""

    predicate: str
    type: str
    name: str


@dataclass(frozen=True, slots=True)
class DemoEntry:
    """One row of a table: a concept, and the links from it to concepts of earlier entries."""

    type: str
    name: str
    source: str
    attributes: dict[str, Value]
    links: tuple[DemoTarget, ...] = field(default=())


def capsule(entries: Iterable[DemoEntry], source: str) -> str:
    """Return one UPSERT that holds the entries, each with its links.

    >>> fields = {"alpha_2": "FR"}
    >>> print(capsule([DemoEntry("Country", "France", "ISO 3166-1", fields)], "ISO 3166-1"))
    UPSERT {
      CONCEPT @c0 { {type: "Country", name: "France"} SET ATTRIBUTES {"alpha_2": "FR"} }
    }
    WITH METADATA { source: "ISO 3166-1" }
    """
    blocks = "\n".join(_block(number, entry) for number, entry in enumerate(entries))
    return f"UPSERT {{\n{blocks}\n}}\nWITH METADATA {{ source: {_json(source)} }}"


def _block(number: int, entry: DemoEntry) -> str:
    parts = [_pattern(entry.type, entry.name), f"SET ATTRIBUTES {_json(entry.attributes)}"]
    if entry.links:
        links = " ".join(
            f"({_json(link.predicate)}, {_pattern(link.type, link.name)})" for link in entry.links
        )
        parts.append(f"SET PROPOSITIONS {{ {links} }}")
    return f"  CONCEPT @c{number} {{ {' '.join(parts)} }}"


def _pattern(kind: str, name: str) -> str:
    return f"{{type: {_json(kind)}, name: {_json(name)}}}"


def _json(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False)
