"""The language server: KIP in an editor, over standard input and output."""
