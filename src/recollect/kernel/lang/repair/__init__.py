"""What a text was meant to say: what is told of a fault, and the edit that mends it.

The rule: a parser says what it expected; everything else that can be said is found here. A new
slip is a row of `idioms.txt`, whose form `rows` explains, and a case of the suite of messages.
What must be computed is a function: an idiom (`strings`, `numbers`, `pattern_keys`, `foreign`), a
message (`diagnose`) or an edit that is only tried (`slips`). `mend` tries them all.
"""
