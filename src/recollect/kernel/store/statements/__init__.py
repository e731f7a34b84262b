"""The statements that the store runs, each under a name, one file a subject.

The rule: SQL text stands here, in the compiler (`kernel/sql`) and in the engine, and nowhere else.
Every alias of every scope carries its own `group_id = :group`.
"""
