"""Recollect and the work of others: a folder for each framework, and one for files to exchange."""
