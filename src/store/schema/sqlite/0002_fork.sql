-- Sessions forked from others: their transcript begins with what the other one showed at a seq, which is
-- read from its rows, not copied. So a row must tell when it left the view.

-- 0, or the seq of the session.rewound that took it back: the first behind it that went so far.
UPDATE item SET rewound = coalesce((
  SELECT min(r.seq) FROM event r
  JOIN event t ON t.sid = r.sid AND t.id = json_extract(r.payload, '$.target_id')
  JOIN item i ON i.sid = r.sid AND i.seq = t.seq
  WHERE r.sid = item.sid AND r.kind = 33 AND r.seq > item.at_seq
  AND (i.at_seq, i.at_index) <= (item.at_seq, item.at_index)), 1)
WHERE rewound <> 0;

-- Parts of other transcripts, in the order in which they stand before a session's own. A part is what
-- its log showed at seq as_of, from one place up to, not including, another.
CREATE TABLE inherited (
  sid         INTEGER NOT NULL,
  rank        INTEGER NOT NULL, -- the order; 0: a summary that stands before everything
  low_at      INTEGER NOT NULL, -- the first place: at_seq, at_index, sub, seq of an item
  low_index   INTEGER NOT NULL,
  low_sub     INTEGER NOT NULL,
  low_seq     INTEGER NOT NULL,
  top_at      INTEGER NOT NULL, -- the place behind the last
  top_index   INTEGER NOT NULL,
  top_sub     INTEGER NOT NULL,
  top_seq     INTEGER NOT NULL,
  from_sid    INTEGER NOT NULL, -- whose rows
  depth       INTEGER NOT NULL, -- 1: of the session it was forked from, 2: of that one's …
  as_of       INTEGER NOT NULL,
  summary     INTEGER NOT NULL, -- the one summary in it; 0: none
  rewound     INTEGER NOT NULL, -- as of an item, but by events of sid
  archived_by INTEGER NOT NULL,
  PRIMARY KEY (sid, rank, low_at, low_index, low_sub, low_seq)
) WITHOUT ROWID, STRICT;
