"""Given names that are short for others, and names as they are without accents.

The rule: one small table, of names that seldom stand for anything else.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from recollect.faces.kip.maintenance.similarity import words_of
from recollect.model import normal_text

_SHORT: Final = """
alexander: alex sasha sandy; andrew: andy drew; anthony: tony; benjamin: ben benny; catherine:
cathy kate katie kathy; charles: charlie chuck; christopher: chris topher; daniel: dan danny;
david: dave; edward: ed eddie ted; elizabeth: liz lizzie beth betty eliza; francisco: paco pancho;
gregory: greg; guadalupe: lupe; heinrich: heinz; james: jim jimmy jamie; johannes: hannes;
jonathan: jon jonny; jose: pepe; joseph: joe joey; katharina: kathi; margaret: maggie meg peggy;
matthew: matt; maximilian: max; michael: mike mick mikey; nicholas: nick nicky; patricia: pat
patty trish; rebecca: becca becky; richard: rich rick dick; robert: bob bobby rob robbie; samuel:
sam sammy; stephen: steve; susan: sue susie; theresa: terry tess; thomas: tom tommy; timothy: tim;
william: bill billy will willy; wilhelm: willi
"""

_LONG: Final = {
    short: full.strip()
    for full, shorts in (one.split(":") for one in _SHORT.split(";"))
    for short in shorts.split()
}


def without_accents(name: str) -> str:
    """Return a normal name without its accents.

    >>> without_accents("José  Núñez"), without_accents("Jürgen")
    ('jose nunez', 'jurgen')
    """
    parts = unicodedata.normalize("NFKD", normal_text(name))
    return "".join(one for one in parts if not unicodedata.combining(one))


def full_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in alphabetical order, short given names as what they stand for.

    >>> full_words("Miller, Bob") == full_words("Robert Miller")
    True
    """
    return tuple(sorted(_LONG.get(one, one) for one in words_of(without_accents(name))))


def first_word(name: str) -> str:
    """Return the first word of a name, a short given name as what it stands for.

    >>> first_word("Bob Miller"), first_word("Miller, Bob")
    ('robert', 'robert')
    """
    last, comma, rest = without_accents(name).partition(",")
    words = (rest if comma else last).split()
    return _LONG.get(words[0], words[0]) if words else ""
