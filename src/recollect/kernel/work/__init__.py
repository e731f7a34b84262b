"""What is still to be done and what was answered, kept beside the graph: the queue, the answers."""
