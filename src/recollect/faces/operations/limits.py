"""The limits of a request, as one table: what is beyond them is rejected, never cut."""

from __future__ import annotations

REQUEST_BYTES = 2**20
"""Of the JSON of one input."""

ITEMS = 100
"""Episodes, messages, facts or group ids of one call."""

UUID = 128
BODY = 10_000
NAME = 256
SUMMARY = 1_000
FACT = 2_000
QUERY = 2**20
"""Characters of a text."""

ATTRIBUTES_BYTES = 16 * 2**10
"""Of the JSON of attributes, and of qualifiers."""

FACTS_FOUND = 10
"""Facts and nodes a search returns when it is not told how many."""

MOST_FOUND = 100
"""Facts and nodes a search may be asked for."""

LOOKED_AT = 100
"""Concepts of any type, the best, among which nodes of other types than Entity are."""

MOST_EPISODES = 1_000
"""Episodes that GetEpisodes may be asked for."""

RETRIES = 3
"""Of each step of the pipeline, after its first execution."""

BACKOFF_SECONDS = (1, 2, 4)
"""Before each retry."""

KEY_SECONDS = 24 * 60 * 60
"""How long an idempotency key is remembered."""
