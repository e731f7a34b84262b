"""The benchmark: Recollect beside hand-written SQL on the same file."""
