"""A conversation with a memory: typed at a prompt, or piped in."""
