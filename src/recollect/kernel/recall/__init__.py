"""Recall: what a question in plain words is about, of all kinds of memory, on one scale."""
