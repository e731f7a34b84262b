"""Tree to plan: names become variables, clauses become steps, steps find their order.

Pure: nothing here opens a store, reads a clock or the environment.
"""
