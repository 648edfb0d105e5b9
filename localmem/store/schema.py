"""Tables of a memory, as an append-only list of migrations.

`PRAGMA user_version` is the number of migrations that a file has seen; it is written in the transaction of
the migration itself. Never change a migration that was released: add another.
"""

from __future__ import annotations

APPLICATION_ID = 0x6C6D656D
"""In the header of every memory: "lmem" in ASCII."""

_WORDS = "tokenize = 'porter unicode61 remove_diacritics 2'"

_FIRST = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # Fresh random tokens instead of counters: a counter that is rolled back, or a file restored from a copy,
    # would give one stamp to two states.
    "CREATE TABLE stamp (what TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "INSERT INTO stamp VALUES ('turns', lower(hex(randomblob(16)))), ('threads', lower(hex(randomblob(16))))",
    """CREATE TABLE transcript (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        format TEXT NOT NULL,
        path TEXT NOT NULL
    )""",
    """CREATE TABLE thread (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        transcript INTEGER NOT NULL REFERENCES transcript,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL CHECK (last >= first),
        head TEXT NOT NULL,
        started TEXT,
        turns INTEGER NOT NULL,
        method TEXT NOT NULL CHECK (method IN ('fast', 'llm'))
    )""",
    "CREATE INDEX thread_place ON thread (transcript, first)",
    # Ids are never used twice (AUTOINCREMENT), so an id in an old cache cannot mean another turn.
    """CREATE TABLE turn (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        transcript INTEGER NOT NULL REFERENCES transcript,
        position INTEGER NOT NULL,
        key BLOB NOT NULL CHECK (length(key) = 16),
        thread INTEGER REFERENCES thread ON DELETE SET NULL,
        speaker TEXT NOT NULL,
        text TEXT NOT NULL,
        at TEXT,
        source TEXT NOT NULL,
        session TEXT NOT NULL,
        UNIQUE (key, transcript),
        UNIQUE (transcript, position)
    )""",
    "CREATE INDEX turn_thread ON turn (thread)",
    "CREATE INDEX turn_speaker ON turn (speaker)",
    # Vectors stand apart, so that reading turns does not page through them.
    """CREATE TABLE turn_vector (
        turn INTEGER PRIMARY KEY REFERENCES turn ON DELETE CASCADE,
        vector BLOB NOT NULL
    )""",
    """CREATE TABLE thread_vector (
        thread INTEGER PRIMARY KEY REFERENCES thread ON DELETE CASCADE,
        vector BLOB NOT NULL
    )""",
    # Neither word index stores text: both read it from `turn`, one of them through this view.
    """CREATE VIEW turn_window AS
        SELECT t.id, t.transcript, t.position,
            coalesce(before.text || char(10), '') || t.text || coalesce(char(10) || after.text, '') AS text
        FROM turn AS t
        LEFT JOIN turn AS before ON before.transcript = t.transcript AND before.position = t.position - 1
        LEFT JOIN turn AS after ON after.transcript = t.transcript AND after.position = t.position + 1""",
    f"CREATE VIRTUAL TABLE turn_words USING fts5 (text, content = 'turn', content_rowid = 'id', {_WORDS})",
    f"CREATE VIRTUAL TABLE window_words USING fts5 (text, content = 'turn_window', content_rowid = 'id', {_WORDS})",
)

_TASKS = (
    # What was asked for, not what came of it: the task graph of any turn is the fold of the turns until then. So
    # nothing is ever overwritten, and an undo is a turn that takes another one away.
    """CREATE TABLE task_turn (
        turn INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        said TEXT NOT NULL,
        reply TEXT NOT NULL,
        undoes INTEGER UNIQUE REFERENCES task_turn CHECK (undoes < turn)
    )""",
    """CREATE TABLE task_operation (
        turn INTEGER NOT NULL REFERENCES task_turn,
        place INTEGER NOT NULL,
        op TEXT NOT NULL,
        arguments TEXT NOT NULL CHECK (json_valid(arguments)),
        PRIMARY KEY (turn, place)
    ) WITHOUT ROWID""",
    "INSERT INTO stamp VALUES ('tasks', lower(hex(randomblob(16))))",
)

_IDENTITY = (
    # Stands among the stamps because every change of what a memory holds writes their page: so a log says whose it is.
    "INSERT INTO stamp VALUES ('memory', lower(hex(randomblob(16))))",
)

_RUNS = (
    """CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        goal TEXT NOT NULL,
        environment TEXT NOT NULL CHECK (json_valid(environment)),
        options TEXT NOT NULL CHECK (json_valid(options)),
        model TEXT NOT NULL,
        status TEXT NOT NULL,
        progress REAL NOT NULL
    )""",
    """CREATE TABLE run_subgoal (
        run INTEGER NOT NULL REFERENCES run,
        number INTEGER NOT NULL,
        text TEXT NOT NULL,
        reached INTEGER,
        summary TEXT NOT NULL,
        PRIMARY KEY (run, number)
    ) WITHOUT ROWID""",
    # What the world answered stands here, not only what was done: a resumed run is told the same again.
    """CREATE TABLE run_step (
        run INTEGER NOT NULL,
        number INTEGER NOT NULL,
        subgoal INTEGER NOT NULL,
        kind TEXT NOT NULL,
        action TEXT NOT NULL,
        observation TEXT NOT NULL,
        valid INTEGER NOT NULL,
        progress REAL NOT NULL,
        state TEXT NOT NULL,
        data TEXT NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        evaluated_tokens INTEGER NOT NULL,
        generated_tokens INTEGER NOT NULL,
        dropped_units INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        context INTEGER NOT NULL,
        seconds REAL NOT NULL,
        PRIMARY KEY (run, number),
        FOREIGN KEY (run, subgoal) REFERENCES run_subgoal
    ) WITHOUT ROWID""",
)

_SOURCES = (
    # What a reply of a chat rests on, so that it can be forgotten with it, whatever words it has.
    """CREATE TABLE reply_source (
        reply INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
        turn INTEGER NOT NULL REFERENCES turn ON DELETE CASCADE,
        PRIMARY KEY (reply, turn)
    ) WITHOUT ROWID""",
    "CREATE INDEX reply_source_turn ON reply_source (turn)",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST, _TASKS, _IDENTITY, _RUNS, _SOURCES)
"""Statements of each migration, in order."""
