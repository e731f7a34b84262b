"""Make the list of things by their kinds, which recall reads: `python tools/make_things.py`.

It needs WordNet 3.0 and two lists of common words, as Debian's packages `wordnet-base`, `wamerican`
and `wbritish` install them. It takes a few seconds.

How it works. A line of `things.txt` beside this file says how people ask for a kind in three
languages, and which meanings of WordNet are its roots, a word with the number of its meaning; `^`
takes what is written large, too, as the languages, and `*` also what is named below it, as the
countries. All nouns below the roots are of that kind which are common words, and which mean that as
a rule: in half of the texts that WordNet counted, and in a quarter of those and of all in which
they are verbs or adjectives (but for what is written large, as *Czech*); or, where it counted none,
in their first meaning.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

TARGET = (
    Path(__file__).parents[1] / "src" / "recollect" / "kernel" / "recall" / "lists" / "things.txt"
)
WORDNET = Path("/usr/share/wordnet")
COMMON = [Path("/usr/share/dict") / f"{one}-english" for one in ("american", "british")]
KINDS: Final = Path(__file__).with_name("things.txt")


@dataclass
class Nouns:
    """The nouns of WordNet."""

    words: dict[str, list[str]] = field(default_factory=dict)  # of each meaning
    kinds: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # below each
    named: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    meanings: dict[str, list[str]] = field(default_factory=dict)  # of each word, the first first
    counts: Counter[tuple[str, int]] = field(default_factory=Counter)  # of a word's n-th meaning
    verbs: Counter[str] = field(default_factory=Counter)
    adjectives: Counter[str] = field(default_factory=Counter)

    def below(self, root: str) -> set[str]:
        """Return a meaning, as `animal.1`, and all that are below it."""
        word, number = root.rstrip("^*").rsplit(".", 1)
        found, left = set[str](), [self.meanings[word][int(number) - 1]]
        while left:
            if (one := left.pop()) not in found:
                found.add(one)
                left += self.kinds[one] + (self.named[one] if root.endswith("*") else [])
        return found

    def spelled(self, root: str) -> Iterator[tuple[str, str]]:
        """Yield the words of what is of the kind of a root, each with its meaning."""
        for meaning in self.below(root):
            for word in self.words[meaning]:
                if root[-1] in "^*" or word.islower():
                    yield word, meaning

    def means(self, word: str, those: set[str]) -> bool:
        """Whether a word means one of those as a rule."""
        low = word.lower()
        counts = [self.counts[low, at + 1] for at in range(len(self.meanings[low]))]
        its = sum(
            count for one, count in zip(self.meanings[low], counts, strict=True) if one in those
        )
        beside = self.verbs[low] + (self.adjectives[low] if word.islower() else 0)
        if not sum(counts) + beside:
            return self.meanings[low][0] in those
        return 2 * its >= sum(counts) and 4 * its >= sum(counts) + beside


def nouns() -> Nouns:
    """Return them as they are installed."""
    found = Nouns()
    for line in (WORDNET / "data.noun").read_text("utf-8").splitlines():
        if line.startswith("  "):
            continue  # the licence
        fields = line.split("|", 1)[0].split()
        many = int(fields[3], 16)
        found.words[fields[0]] = fields[4 : 4 + 2 * many : 2]
        pointers = fields[5 + 2 * many :]
        for sign, meaning, part in zip(*(pointers[at::4] for at in range(3)), strict=False):
            if part == "n" and sign in {"@", "@i"}:
                (found.kinds if sign == "@" else found.named)[meaning].append(fields[0])
    for line in (WORDNET / "index.noun").read_text("utf-8").splitlines():
        if not line.startswith("  "):
            word, _, senses, *others = line.split()
            found.meanings[word] = others[-int(senses) :]
    for line in (WORDNET / "cntlist.rev").read_text("utf-8").splitlines():
        key, number, count = line.split()
        word, part = key.split("%")
        if part[0] == "1":
            found.counts[word, int(number)] += int(count)
        else:
            (found.verbs if part[0] == "2" else found.adjectives)[word] += int(count)
    return found


def main() -> None:
    """Make the file."""
    known, lines = nouns(), []
    common = {word for one in COMMON for word in one.read_text("utf-8").split()}
    for line in KINDS.read_text("utf-8").splitlines():
        asked, roots = line.split(" : ")
        found = [one for root in roots.split() for one in known.spelled(root)]
        those, own = {meaning for _, meaning in found}, {*asked.split()}
        words = {word for word, _ in found if re.fullmatch("[A-Za-z]{3,}", word)} & common
        of_kind = sorted({one.lower() for one in words if known.means(one, those)} - own)
        english, others = asked.split(" | ", 1)
        lines.append(f"{english} > {' '.join(of_kind)} | {others}")
    TARGET.write_text("\n".join(lines) + "\n", "utf-8")
    print(len({word for line in lines for word in line.split()}), "words of", len(lines), "kinds")


if __name__ == "__main__":
    main()
