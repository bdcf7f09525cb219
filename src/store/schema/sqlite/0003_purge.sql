-- Sessions that are purged: their row goes first, in the transaction that asks for it, and what else there
-- is of them a slice at a time. Until that is done their number stays here.
CREATE TABLE purge (
  sid INTEGER PRIMARY KEY
) STRICT;
-- Blobs that no event refers to any more, until their last chunk is gone.
CREATE TABLE purge_blob (
  digest BLOB PRIMARY KEY
) WITHOUT ROWID, STRICT;

-- Which sessions are deleted, whose rows does a fork read, who else has this blob?
CREATE INDEX session_by_deletion ON session (last_activity) WHERE deleted <> 0;
CREATE INDEX inherited_by_origin ON inherited (from_sid);
CREATE INDEX event_by_blob ON event (blob) WHERE blob IS NOT NULL;

-- Not 0: bytes of purged sessions may still be in the search index (1) or in the write-ahead log (2).
INSERT INTO state VALUES ('wipe', 0);
