CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id       BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    session  BLOB    NOT NULL CHECK (length(session) = 16),
    seq      INTEGER NOT NULL CHECK (seq > 0),
    at       INTEGER NOT NULL,
    actor    TEXT    NOT NULL,
    via      TEXT    NOT NULL,
    type     TEXT    NOT NULL,
    version  INTEGER NOT NULL,
    data     TEXT    NOT NULL,
    hash     BLOB    NOT NULL CHECK (length(hash) = 32),
    UNIQUE (session, seq)
) STRICT;

CREATE INDEX events_opened ON events (type) WHERE type = 'session/opened';
CREATE INDEX events_session_position ON events (session, position);

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

-- The last event of each session, written in the same commit: reveals rows that were cut from the end.
CREATE TABLE heads (
    session      BLOB    PRIMARY KEY CHECK (length(session) = 16),
    seq          INTEGER NOT NULL,
    hash         BLOB    NOT NULL CHECK (length(hash) = 32),
    open_attempt INTEGER NOT NULL CHECK (open_attempt IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX heads_open ON heads (session) WHERE open_attempt = 1;

CREATE TABLE blobs (
    hash  TEXT PRIMARY KEY CHECK (length(hash) = 64),
    bytes BLOB NOT NULL
) STRICT;
