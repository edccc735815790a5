-- The log. A position is never given twice, and increases with the order of commits: there is one writer.
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

-- Sessions in opening order, without a walk through the log.
CREATE INDEX events_first ON events (seq) WHERE seq = 1;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are never changed');
END;

CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are never deleted');
END;

-- Where each session's chain ends, written in the same commit as the event: reveals rows cut from the end.
CREATE TABLE heads (
    session      BLOB    PRIMARY KEY CHECK (length(session) = 16),
    seq          INTEGER NOT NULL CHECK (seq > 0),
    hash         BLOB    NOT NULL CHECK (length(hash) = 32),
    open_attempt BLOB    CHECK (length(open_attempt) = 16)
) STRICT;

CREATE INDEX heads_open ON heads (session) WHERE open_attempt IS NOT NULL;

-- Large or private texts by the hash of their bytes. They may be deleted (purge), never changed.
CREATE TABLE blobs (
    hash  TEXT PRIMARY KEY CHECK (length(hash) = 64),
    bytes BLOB NOT NULL
) STRICT;

CREATE TRIGGER blobs_are_never_changed BEFORE UPDATE ON blobs
BEGIN
    SELECT RAISE(ABORT, 'blobs are never changed');
END;
