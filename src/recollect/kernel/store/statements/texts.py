"""The text index, emptied to be made anew."""

from __future__ import annotations

FORGET_TEXTS = (
    "INSERT INTO text_index (text_index) VALUES ('delete-all')",
    "DELETE FROM text_past",
)
