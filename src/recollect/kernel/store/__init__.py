"""Where the graph lives: transactions over one file, one server or one memory."""
