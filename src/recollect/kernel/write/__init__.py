"""Changes to the graph: matched, merged and logged in one transaction, or not at all."""
