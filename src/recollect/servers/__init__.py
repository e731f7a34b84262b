"""The doors to a nexus for people and programs; they hold settings and wiring, never rules."""
