"""Running plans: parameters bound, rows decoded, elements shown."""
