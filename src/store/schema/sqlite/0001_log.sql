-- The log, its projections, and the records beside it. Instants are ms since the epoch; enums are
-- stored as the numbers of the C enums (core/event.h, core/session.h), which are never reused.

CREATE TABLE session (
  sid              INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  agent_id         TEXT NOT NULL,
  agent_version    INTEGER NOT NULL,
  environment_id   TEXT NOT NULL,
  workspace_id     TEXT,
  lane_key         TEXT,
  parent_id        TEXT,
  previous_id      TEXT,
  source           TEXT NOT NULL,
  metadata         TEXT,
  is_group         INTEGER NOT NULL,
  created_at       INTEGER NOT NULL,
  head_seq         INTEGER NOT NULL,
  head_hash        BLOB NOT NULL,
  lifecycle        INTEGER NOT NULL,
  phase            INTEGER NOT NULL,
  deleted          INTEGER NOT NULL,
  last_stop        INTEGER NOT NULL,
  turn             TEXT,
  turn_seq         INTEGER NOT NULL,
  attempt          INTEGER NOT NULL,
  fence            INTEGER NOT NULL,
  holder           TEXT,             -- incarnation that holds the lease; any other is dead
  waiting          INTEGER NOT NULL, -- pending triggers
  queued           INTEGER NOT NULL, -- pending inputs, triggers among them
  queue_from       INTEGER NOT NULL, -- none of them stands before this seq
  title            TEXT,
  title_source     INTEGER NOT NULL,
  fallback_title   TEXT,
  preview          TEXT,
  messages         INTEGER NOT NULL,
  completed_turns  INTEGER NOT NULL,
  input_tokens     INTEGER NOT NULL,
  output_tokens    INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cache_read       INTEGER NOT NULL,
  cache_write      INTEGER NOT NULL,
  total_tokens     INTEGER NOT NULL,
  last_prompt      INTEGER NOT NULL,
  cost             INTEGER NOT NULL,
  priced           INTEGER NOT NULL,
  unpriced         INTEGER NOT NULL,
  last_activity    INTEGER NOT NULL
) STRICT;
-- The only index that moves with every event: as narrow as can be. Equal instants are few, so their
-- order by id is sorted while reading; a second column would cost a sixth of all bytes logged.
CREATE INDEX session_by_activity ON session (last_activity);
-- Those that are not active take no events: they are listed along an index that never moves.
CREATE INDEX session_by_rest ON session (last_activity) WHERE lifecycle <> 0;
CREATE INDEX session_by_workspace ON session (workspace_id) WHERE workspace_id IS NOT NULL;
CREATE INDEX session_by_agent ON session (agent_id);

-- n is the store-wide change cursor; the writer counts. Whoever purges events keeps the last number in
-- state ('purged_to'), so that it never comes back.
CREATE TABLE event (
  n          INTEGER PRIMARY KEY,
  sid        INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  kind       INTEGER NOT NULL,
  author     INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  turn       TEXT,
  meta       TEXT,
  payload    ANY,              -- the bytes as received; NULL when they live in a blob
  blob       BLOB,             -- SHA-256 of the payload then
  hash       BLOB NOT NULL,    -- chained to the event before it
  processed  INTEGER           -- instant of the consuming event; NULL: pending
) STRICT;
-- The last column tells what is pending without the row: a queue is read from session.queue_from on,
-- and asks for (processed IS NULL) = 1, which is how SQLite recognises the indexed expression.
CREATE UNIQUE INDEX event_by_seq ON event (sid, seq, processed IS NULL);
-- No two events of a session share an id. Ids made by the server (a prefix, '_' and 32 hex digits) see to
-- that by their randomness and cost no entry here; any other is held to it.
CREATE UNIQUE INDEX event_by_own_id ON event (sid, id) WHERE substr(id, -33, 1) <> '_';

-- The transcript: where each entry stands, no text. An input gets its row when it is consumed.
CREATE TABLE item (
  sid         INTEGER NOT NULL,
  at_seq      INTEGER NOT NULL,
  at_index    INTEGER NOT NULL,
  sub         INTEGER NOT NULL, -- 0: a summary, which stands before what shares its place; 1: all else
  seq         INTEGER NOT NULL,
  content_seq INTEGER NOT NULL,
  role        INTEGER NOT NULL,
  rewound     INTEGER NOT NULL,
  archived_by INTEGER NOT NULL,
  PRIMARY KEY (sid, at_seq, at_index, sub, seq) -- a later summary may share an earlier one's place
) WITHOUT ROWID, STRICT;

-- Calls of the open turn.
CREATE TABLE call (
  sid        INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  kind       INTEGER NOT NULL,
  state      INTEGER NOT NULL,
  client     INTEGER NOT NULL,
  answer_id  TEXT,
  closed_seq INTEGER NOT NULL,
  PRIMARY KEY (sid, seq)
) WITHOUT ROWID, STRICT;

-- Edits of queued messages: the event that now holds the content.
CREATE TABLE edit (
  sid         INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  content_seq INTEGER NOT NULL,
  PRIMARY KEY (sid, seq)
) WITHOUT ROWID, STRICT;

CREATE TABLE key (
  digest     BLOB NOT NULL,    -- 16 bytes of SHA-256 over kind, scope and name
  request    BLOB NOT NULL,    -- 16 bytes of the request's hash
  sid        INTEGER,
  first_seq  INTEGER NOT NULL,
  head_seq   INTEGER NOT NULL,
  answer     TEXT,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX key_by_digest ON key (digest);
CREATE INDEX key_by_expiry ON key (expires_at);

CREATE TABLE record (
  kind    TEXT NOT NULL,
  id      TEXT NOT NULL,
  owner   TEXT,
  due_at  INTEGER,
  body    TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID, STRICT;
CREATE INDEX record_by_owner ON record (kind, owner, id) WHERE owner IS NOT NULL;
CREATE INDEX record_by_due ON record (kind, due_at, id) WHERE due_at IS NOT NULL;

-- Large payloads, content-addressed, in chunks that all nodes of a store share.
CREATE TABLE blob (
  digest BLOB NOT NULL,
  chunk  INTEGER NOT NULL,
  bytes  BLOB NOT NULL,
  PRIMARY KEY (digest, chunk)
) WITHOUT ROWID, STRICT;

-- Text of messages, indexed behind the log: indexed_to is the last change that was looked at.
CREATE VIRTUAL TABLE search USING fts5 (text, content='', detail=none, tokenize='unicode61 remove_diacritics 2');
CREATE TABLE state (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
INSERT INTO state VALUES ('indexed_to', 0);
