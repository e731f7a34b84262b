"""What the demo asks and tells its memory, in KIP."""

from __future__ import annotations

from recollect.node import dataclass
from recollect.servers.cli.demo import capsules


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question, or a lesson, in words and in KIP."""

    title: str
    text: str


OF_THE_WORLD = (
    DemoQuestion(
        "Which countries have the most places, regions within regions included?",
        """\
FIND(?country_name, COUNT(?place) AS ?places)
WHERE {
  ?country {type: "Country"}
  (?place, "part_of"{1,}, ?country)
  ATTR(?country, "name", ?country_name)
}
ORDER BY ?places DESC
LIMIT 6""",
    ),
    DemoQuestion(
        "Which countries have several currency codes, and which?",
        """\
FIND(?country_name, COUNT(?currency) AS ?codes, COLLECT(?title) AS ?currencies)
WHERE {
  (?currency, "currency_of", ?country)
  ATTR(?currency, "title", ?title)
  ATTR(?country, "name", ?country_name)
}
ORDER BY ?codes DESC, ?country_name
LIMIT 5""",
    ),
    DemoQuestion(
        "Countries that begin with Mo, and their own currency where they have one",
        """\
FIND(?country, ?chinese, ?currency)
WHERE {
  ?country {type: "Country"}
  ATTR(?country, "name", ?name)
  FILTER(STARTS_WITH(?name, "Mo"))
  ATTR(?country, "name_zh", ?chinese)
  OPTIONAL { (?currency, "currency_of", ?country) }
}
ORDER BY ?name""",
    ),
    DemoQuestion(
        "Which countries are divided into regions but have no currency code of their own?",
        """\
FIND(?country, COUNT(?region) AS ?regions)
WHERE {
  ?country {type: "Country"}
  ?region {type: "Region"}
  (?region, "part_of", ?country)
  NOT { (?currency, "currency_of", ?country) }
}
ORDER BY ?regions DESC
LIMIT 8""",
    ),
    DemoQuestion(
        "Where in the world is there a Luxembourg?",
        """\
FIND(?place, ?kind, ?country)
WHERE {
  ?place {type: "Country", name: "Luxembourg"}
  UNION {
    ?place {type: "Subdivision"}
    ATTR(?place, "title", ?title)
    FILTER(?title == "Luxembourg")
    ATTR(?place, "kind", ?kind)
  }
  OPTIONAL {
    (?place, "part_of"{1,}, ?country)
    ?country {type: "Country"}
  }
}""",
    ),
    DemoQuestion(
        "What does Bas-Rhin (FR-67) lie in?",
        """\
FIND(?place, ?title, ?kind)
WHERE {
  ({type: "Subdivision", name: "FR-67"}, "part_of"{0,5}, ?place)
  ATTR(?place, "title", ?title)
  ATTR(?place, "kind", ?kind)
}""",
    ),
    DemoQuestion(
        "Which country names were withdrawn since 1990, and what followed them?",
        """\
FIND(?date, ?former, ?successor)
WHERE {
  ?former {type: "FormerCountry"}
  ATTR(?former, "withdrawal_date", ?date)
  FILTER(?date >= "1990")
  OPTIONAL { (?former, "succeeded_by", ?successor) }
}
ORDER BY ?date""",
    ),
    DemoQuestion(
        "How many languages are living, extinct, constructed?",
        """\
FIND(?vitality, COUNT(?language) AS ?languages)
WHERE {
  ?language {type: "Language"}
  ATTR(?language, "vitality", ?vitality)
}
ORDER BY ?languages DESC""",
    ),
    DemoQuestion(
        "Which parts of China call themselves autonomous regions, in Chinese?",
        """\
FIND(?place, ?chinese)
WHERE {
  (?place, "part_of", {type: "Country", name: "China"})
  ATTR(?place, "name_zh", ?chinese)
  FILTER(ENDS_WITH(?chinese, "自治区"))
}""",
    ),
    DemoQuestion("Search in Chinese: Sichuan", 'SEARCH CONCEPT "四川" LIMIT 3'),
)

LESSONS = (
    DemoQuestion("Lesson: who you are", capsules.SELF),
    DemoQuestion("Lesson: what the next ones build on", capsules.PRECONDITIONS),
    DemoQuestion("Lesson: the specification's capsule on Cognizine", capsules.COGNIZINE),
    DemoQuestion("Lesson: the specification's fact on strokes", capsules.STROKE_PREVENTION),
    DemoQuestion("Lesson: a statement about a citation of a fact", capsules.STATEMENT),
)

OF_THE_LESSONS = (
    DemoQuestion("Lesson: who you are", capsules.SELF),
    DemoQuestion(
        "Who stated that which paper cites which treatment as evidence?",
        """\
FIND(?user, ?paper_doi, ?drug_name, ?symptom_name)
WHERE {
  ?user {type: "User"}
  (?user, "stated", (?paper, "cites_as_evidence", (?drug, "treats", ?symptom)))
  ATTR(?paper, "doi", ?paper_doi)
  ATTR(?drug, "name", ?drug_name)
  ATTR(?symptom, "name", ?symptom_name)
}""",
    ),
    DemoQuestion(
        "At what dose does Aspirin prevent what, who says so, and since when?",
        """\
FIND(?condition, ?dosage, ?source, ?since)
WHERE {
  ?link ({type: "Drug", name: "Aspirin"}, "prevents", ?condition)
  ATTR(?link, "dosage", ?dosage)
  META(?link, "source", ?source)
  META(?link, "valid_from", ?since)
}""",
    ),
)

SIDE_EFFECTS = """\
FIND(?side_effect, ?confidence, ?source)
WHERE {
  ?report ({type: "Drug", name: "Cognizine"}, "has_side_effect", ?side_effect)
  META(?report, "confidence", ?confidence)
  META(?report, "source", ?source)
}"""

BEFORE = DemoQuestion("What are the side effects of Cognizine?", SIDE_EFFECTS)
CORRECTION = DemoQuestion("Correction: a larger trial", capsules.CORRECTION)
AFTER = DemoQuestion("The same question, after the correction", SIDE_EFFECTS)
AS_IT_WAS = DemoQuestion("The same question, as of the moment before the correction", SIDE_EFFECTS)

PRIMER = DemoQuestion("What is this memory about?", "DESCRIBE PRIMER")
