"""Values to SQLite and back: the only package with SQL."""
