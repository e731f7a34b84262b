"""Meanings as vectors: what is embedded, where it is kept, and how it is held in memory."""
