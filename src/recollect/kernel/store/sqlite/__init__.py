"""The store on SQLite: one file or one memory, through apsw."""
