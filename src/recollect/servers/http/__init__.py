"""The HTTP server: the faces of a memory, for programs that are elsewhere."""
