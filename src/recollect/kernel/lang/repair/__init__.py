"""What a text was meant to say: what is told of a fault, and the edit that mends it.

The rule: a parser says what it expected; everything else that can be said is found here.
"""
