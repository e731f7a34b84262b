"""What a question asks of something must be told of it: a phone is no email."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import Memory

SAID = [{"kind": "user_statement", "detail": "she said so"}]
FACTS = (
    {"subject": "Ben Ortiz", "predicate": "phone", "object": "+49 170 555 0101"},
    {"subject": "Ben Ortiz", "predicate": "works_at", "object": "Siemens"},
    {"subject": "Laura Berg", "predicate": "email", "object": "laura@berg.example"},
    {
        "subject": "Laura Berg",
        "predicate": "studied_at",
        "object": "ETH Zurich",
        "valid_at": "2001",
        "invalid_at": "2006",
    },
    {"subject": "Grace Kim", "predicate": "has_role", "object": "head of Building 7"},
    {"subject": "Paula Egger", "predicate": "works_as", "object": "engineer"},
    {
        "subject": "Ann Keller",
        "predicate": "works_at",
        "object": "Acme",
        "valid_at": "2015",
        "invalid_at": "2020",
    },
    {"subject": "Tim Rau", "predicate": "works_at", "object": "Acme", "valid_at": "2020"},
    {"subject": "Garden Club", "predicate": "treasurer", "object": "Rosa Lind"},
    {"subject": "Dr. Mira Sand", "predicate": "reports_to", "object": "Jan Roth"},
)
TEXTS = (
    "The dentist Dr. Maurer moved to Bahnhofplatz 3.",
    "The choir rehearses in room 12 of the town hall.",
    "Paula Steiner is allergic to nuts.",
    "Laura teaches maths to her neighbours' children.",
    "The mill: write to office@mill.example.",
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with recollect.memory(":memory:", actor="bot") as memory:
        decoy = Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[{"subject": "Ben Ortiz", "predicate": "email", "object": "b@o"}])
        memory.remember(facts=[*FACTS])
        for text in TEXTS:
            memory.remember(text, evidence=SAID)
        yield memory


@pytest.mark.parametrize(
    "question",
    [
        "What is Ben's email?",
        "¿Cuál es el correo de Ben?",
        "What is Laura's phone number?",
        "Wie ist die Telefonnummer von Laura?",
        "What is the dentist's phone number?",
        "What is the email of Dr. Maurer?",
        "When is Ben's birthday?",
    ],
)
def test_what_is_told_beside_what_is_asked_of_somebody_is_no_answer(
    memory: Memory, question: str
) -> None:
    assert not memory.recall(question).memories


@pytest.mark.parametrize(
    "question", ["How many people does Grace lead?", "How many singers are in the choir?"]
)
def test_the_number_of_a_room_does_not_say_how_many(memory: Memory, question: str) -> None:
    assert not memory.recall(question).memories


def test_a_text_about_another_with_the_first_name_is_no_answer(memory: Memory) -> None:
    assert not memory.recall("What is Paula Egger's allergy?").memories
    assert "Paula Steiner" in str(memory.recall("What is Paula Steiner allergic to?").memories[0])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is Ben's phone number?", "Ben Ortiz phone +49 170 555 0101"),
        ("What is Laura's mail address?", "Laura Berg email laura@berg.example"),
        ("Who came after Ann at Acme?", "Tim Rau works at Acme"),
        ("Where did Laura study?", "Laura Berg studied at ETH Zurich"),
        ("Wer ist Schatzmeister im Garden Club?", "Garden Club treasurer Rosa Lind"),
        ("What is the email of the mill?", "The mill: write to office@mill.example."),
    ],
)
def test_what_is_told_of_it_is_the_first_answer(memory: Memory, question: str, answer: str) -> None:
    assert answer in str(memory.recall(question).memories[0])


def test_a_title_makes_nobody_another() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        serves = {"subject": "$self", "predicate": "serves", "object": "Dr. Mira Sand"}
        works = {"subject": "Mira Sand", "predicate": "works_at", "object": "Acme"}
        memory.remember(facts=[serves, works])
        assert "Acme" in str(memory.recall("Where do I work?").memories[0])


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Acme has 2000 employees", "How many employees does Acme have?"),
        ("Acme has fifteen employees", "How many employees does Acme have?"),
        ("Ann has one child", "How many children does Ann have?"),
        ("Ann has no children", "How many children does Ann have?"),
        ("We picked Postgres for the billing service", "Which database does billing use?"),
    ],
)
def test_a_number_of_any_size_and_a_name_may_be_what_is_asked(text: str, question: str) -> None:
    with recollect.memory(":memory:", is_person=True) as memory:
        memory.remember(text)
        assert [one.memory.text for one in memory.recall(question).memories] == [text]


def test_a_year_in_which_something_was_does_not_say_how_many() -> None:
    with recollect.memory(":memory:", is_person=True) as memory:
        memory.remember("Ann moved in 2019 with her children")
        assert memory.recall("How many children does Ann have?").memories == ()


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Marek was born in Gdansk", "When was Marek born?"),
        ("Carla has her birthday on 12 March", "Where was Carla born?"),
        ("The boiler was replaced in October 2022", "How much did the boiler cost?"),
        ("The boiler has a guarantee of ten years", "How much did the boiler cost?"),
        ("The theatre has a contract until August 2027", "How old is the theatre?"),
        ("Tom covers the night shifts on Tuesdays", "Who covers the night shifts on Sundays?"),
        ("Das Büro ist montags zu", "Ist das Büro freitags zu?"),
    ],
)
def test_what_tells_nothing_of_the_kind_that_is_asked_is_no_answer(
    text: str, question: str
) -> None:
    with recollect.memory(":memory:", is_person=True) as memory:
        memory.remember(text)
        assert memory.recall(question).memories == ()


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Marek was born on a Sunday", "When was Marek born?"),
        ("The key lies behind the shed", "Where is the key?"),
        ("Carla moved to Porto in March", "Where did Carla move?"),
        ("The boiler cost 3,200 euros", "How much did the boiler cost?"),
        ("The course takes ten weeks", "How many weeks does the course take?"),
        ("The theatre was built in 1890", "How old is the theatre?"),
        ("Tom covers the night shifts on Sundays", "Who covers the night shifts on Sunday?"),
    ],
)
def test_what_tells_the_kind_that_is_asked_is_an_answer(text: str, question: str) -> None:
    with recollect.memory(":memory:", is_person=True) as memory:
        memory.remember(text)
        assert [one.memory.text for one in memory.recall(question).memories] == [text]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Ann has a greyhound called Biscuit", "Does Ann have any pets?"),
        ("Ann has a greyhound called Biscuit", "¿Qué mascota tiene Ann?"),
        ("Ann is the cook on a ferry", "Was ist Ann von Beruf?"),
        ("Ann plays the oboe", "Which instrument did Ann take up?"),
        ("Ann comes from Chile", "¿De qué país es Ann?"),
    ],
)
def test_who_asks_for_a_kind_finds_a_thing_of_that_kind(text: str, question: str) -> None:
    others = ["Ann swims before breakfast", "Ann rents a flat in Ghent"]
    with recollect.memory(":memory:", is_person=True) as memory:
        for one in (*others, text):
            memory.remember(one)
        assert memory.recall(question).memories[0].memory.text == text


def test_my_dog_is_found_by_its_breed() -> None:
    fact = {"subject": "Ann", "predicate": "has", "object": "a one-eyed greyhound"}
    with recollect.memory(":memory:", actor="Ann", is_person=True) as memory:
        memory.remember(facts=[{**fact, "text": "Ann has a one-eyed greyhound named Biscuit"}])
        memory.remember(facts=[{"subject": "Ann", "predicate": "rents", "object": "a flat"}])
        found = memory.recall("What's my dog called?").memories
        assert found[0].memory.text == "Ann has a one-eyed greyhound named Biscuit"


def test_a_when_inside_a_question_asks_for_no_time() -> None:
    with recollect.memory(":memory:", is_person=True) as memory:
        memory.remember("Ann drinks nothing but black tea")
        found = memory.recall("What drink should I offer when Ann visits?").memories
        assert [one.memory.text for one in found] == ["Ann drinks nothing but black tea"]


@pytest.mark.parametrize(
    "asked",
    ["When was Ann born?", "Remind me when Ann was born", "Can you check when Ann was born?"],
)
def test_a_when_that_is_asked_inside_a_question_asks_for_a_time(asked: str) -> None:
    born = {"subject": "Ann", "predicate": "born_in", "object": "Oslo"}
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[born, {**born, "predicate": "born_on", "object": "12 May 1990"}])
        assert memory.recall(asked).memories[0].memory.text == "Ann born on 12 May 1990"


def asked_among_others(subject: str, predicate: str, value: str, text: str, asked: str) -> str:
    """Return the first answer of a memory that holds a fact, told by a text, and two others."""
    told = {"subject": subject, "predicate": predicate, "object": value, "text": text}
    likes = {"subject": "Zed Quill", "predicate": "likes", "object": "opera"}
    works = {"subject": "Mona Fox", "predicate": "works_at", "object": "Siemens"}
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember(facts=[told, likes, works])
        found = memory.recall(asked).memories
        return found[0].memory.text if found else ""


@pytest.mark.parametrize(
    ("fact", "text", "question"),
    [
        (
            ("Theo", "paid", "EUR 1950 for the car"),
            "Theo paid EUR 1950 for the car",
            "How much did Theo pay for the car?",
        ),
        (("Theo", "salary", "USD 5000"), "Theo salary USD 5000", "How much does Theo earn?"),
        (
            ("party", "guests", "300"),
            "About 300 guests came to the party",
            "How many guests came to the party?",
        ),
        (("Ann", "leave", "25 days"), "Ann gets 25 days of leave", "How much leave does Ann get?"),
        (("Ann", "notice", "three months"), "Ann notice three months", "How much notice has Ann?"),
        (("Tom", "is", "42 years"), "Tom is 42 years", "How old is Tom?"),
        (("Ann", "moved_to", "berlin"), "Ann moved to berlin", "Where did Ann move?"),
        (("Li", "birthplace", "北京"), "Li birthplace 北京", "Where was Li born?"),
        (("skis", "kept", "upstairs"), "The skis are upstairs", "Where are the skis?"),
    ],
)
def test_what_a_fact_tells_is_a_number_or_a_place_however_it_is_written(
    fact: tuple[str, str, str], text: str, question: str
) -> None:
    assert asked_among_others(*fact, text, question) == text


@pytest.mark.parametrize(
    ("fact", "text", "question"),
    [
        (
            ("Ann", "reads", "books"),
            "Ann sat in the garden and read on her free day",
            "What does Ann do on Sunday?",
        ),
        (("Ann", "likes", "sun"), "Ann spent the day in the sun", "What did Ann do on Monday?"),
    ],
)
def test_who_sat_in_the_sun_did_so_on_any_day(
    fact: tuple[str, str, str], text: str, question: str
) -> None:
    assert asked_among_others(*fact, text, question) == text


@pytest.mark.parametrize(
    ("fact", "text", "question"),
    [
        (("Tom", "works_at", "Acme"), "Tom works at Acme until August 2027", "How old is Tom?"),
        (("Ann", "birthday", "12 March"), "Ann birthday 12 March", "Where was Ann born?"),
        (("Ann", "lives_in", "room 12"), "Ann lives in room 12", "How many rooms has Ann?"),
    ],
)
def test_a_time_or_the_number_of_a_room_is_no_place_age_or_count_in_a_fact_either(
    fact: tuple[str, str, str], text: str, question: str
) -> None:
    assert asked_among_others(*fact, text, question) != text


def test_who_asks_for_a_pet_finds_a_dog() -> None:
    with recollect.memory(":memory:", is_person=True) as memory:
        memory.remember("The family has a dog named Biscuit")
        assert memory.recall("Does the family have a pet?").memories


def test_what_is_nearest_in_meaning_is_looked_at_where_nothing_holds_a_word() -> None:
    with recollect.memory(":memory:", is_person=True) as memory:
        memory.remember("Firma Kranz wartet den Aufzug")
        memory.remember("The sauna is closed until Christmas")
        assert "Kranz" in str(memory.recall("Who maintains the elevator?").memories[0])


def test_a_name_is_not_taken_for_a_word_that_holds_sentences_together() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        son = {"subject": "Nadia", "predicate": "has_son", "object": "Theo"}
        memory.remember(facts=[son])
        memory.remember("The boiler is behind the shed", evidence=SAID)
        memory.remember("The lesson of the cello teacher costs 35 euros", evidence=SAID)
        assert memory.recall("Which instrument does Theo play?").memories == ()


def test_who_is_named_only_in_what_is_told_of_another_is_somebody() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        grace = {"subject": "Grace", "predicate": "lives_in", "object": "Lagos"}
        memory.remember(facts=[{**grace, "text": "Grace lives in Lagos with her sister Ebele"}])
        works = {"subject": "Paul", "predicate": "works_as", "object": "bus driver"}
        memory.remember(facts=[works])
        assert memory.recall("What does Ebele do for a living?").memories == ()
        assert "Grace" in str(memory.recall("Where does Ebele live?").memories[0])


@pytest.mark.parametrize("question", ["drug", "drugs", "which drugs are there", "tablet press"])
def test_what_holds_all_that_is_asked_is_an_answer_though_it_is_no_more_than_a_name(
    question: str,
) -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write('UPSERT { CONCEPT @a { {type: "Drug", name: "drug 7"} } }')
        nexus.write('UPSERT { CONCEPT @a { {type: "Machine", name: "tablet press 2"} } }')
        name = "tablet press 2" if "press" in question else "drug 7"
        assert [one.passage for one in nexus.recall(question).memories][:1] == [name]
        assert nexus.recall("Who sells drugs?").memories == ()


def test_who_has_a_thing_tells_where_it_is_and_not_where_somebody_lives() -> None:
    with recollect.memory(":memory:", actor="agent") as memory:
        for text in ("Dora has the spare key of the flat", "Ada has the blue bicycle"):
            memory.remember(text, evidence=[{"kind": "user_statement", "detail": text}])
        (found, *_) = memory.recall("Where is the spare key of the flat?").memories
        assert found.memory.text == "Dora has the spare key of the flat"
        assert memory.recall("Where does Ada live?").memories == ()


def test_a_word_of_one_language_is_taken_for_none_of_another() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        for predicate, other in (("has_son", "Emil Engel"), ("hobby", "beekeeping")):
            told = {"subject": "Tobias Engel", "predicate": predicate, "object": other}
            memory.remember(facts=[told])
        (first, *_) = memory.recall("Is Tobias a father?").memories
        assert first.memory.text == "Tobias Engel has son Emil Engel"


def test_what_means_the_nearest_is_found_though_others_hold_a_word() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        for text in ("Kettle produces sour beer", "Our beer took gold at Brussels in 2023"):
            memory.remember(text, evidence=SAID)
        text = "The café sent back twelve crates because the labels were peeling off"
        memory.remember(text, evidence=SAID)
        found = memory.recall("Why did a customer return their beer?").memories
        assert text in [one.memory.text for one in found]


def test_what_something_is_like_is_nothing_that_is_liked() -> None:
    with recollect.memory(":memory:", actor="bot") as memory:
        memory.remember("I like my steak barely cooked", evidence=SAID)
        assert memory.recall("What is the garden like?").memories == ()
        assert memory.recall("What do I like?").memories
