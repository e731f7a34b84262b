"""A text examined without a store: all that is wrong with it, or doubtful in it, at once.

The rule: what is found here would be found when the text runs, in the same words.
"""
