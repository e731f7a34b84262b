"""The studio: pages to see a memory, question it and correct it in a browser."""

from recollect.servers.studio.face import studio_face

__all__ = ["studio_face"]
