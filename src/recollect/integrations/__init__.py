"""Recollect inside the frameworks of others: one folder for each, with an extra of its name."""
