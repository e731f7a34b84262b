"""Where the graph lives: transactions over one SQLite file or one memory."""
