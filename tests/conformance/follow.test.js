// follow - public stream clients keep up with a log while the server is killed again and again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { byHand, until, withEventSource, withEventSourceClient, writer } from './harness/follow.js';
import { Server } from './harness/server.js';
import { withWebSocket } from './harness/socket.js';
import { collect, note, openSession, say, sdk } from './harness/suite.js';

const RESTARTS = Number(process.env.PERDURE_RESTARTS ?? 10);
const TEST_MS = 60_000 + RESTARTS * 5_000;
const READERS = [withEventSource, withEventSourceClient, byHand, withWebSocket];
let server, beta;

before(async () => {
  server = await Server.begin();
  beta = sdk(server).beta;
});
after(() => server?.remove());

/** The whole log once nothing runs or waits any more. */
async function settledLog(id) {
  let log;
  await until(async () => {
    const before = await beta.sessions.retrieve(id);
    log = await collect(beta.sessions.events.list(id, { limit: 1000 }));
    const session = await beta.sessions.retrieve(id);
    return before.status === 'idle' && session.status === 'idle' && session.head_seq === log.length &&
      log.every((event) => event.processed_at !== null);
  }, () => `session ${id} has work left`);
  return log;
}

/** Kills at moments that nobody chose: in a commit, in a turn, in a frame. */
async function killOften() {
  for (let i = 0; i < RESTARTS; i++) {
    await sleep(Math.random() * 250);
    await server.restart();
  }
}

function sameLog(reader, log) {
  assert.deepEqual(reader.seen.map((event) => `${event.cursor} ${event.kind} ${event.id}`),
    log.map((event) => `${event.seq} ${event.type} ${event.id}`), `${reader.name}: not exactly the log`);
}

test(`A4c A4d A4f A16b A2d A16 readers end with exactly the log, over ${RESTARTS} kills`, { timeout: TEST_MS }, async () => {
  const session = await openSession(beta);
  const path = `/v1/sessions/${session.id}/events`;
  const readers = READERS.map((open) => open(server, `${path}/stream?after=0`));
  const writes = writer(server, path, (n) => ({ events: [n % 7 === 3 ? say('wait 0.05') : note(`note ${n}`)] }));
  try {
    await killOften();
    await writes.stop();
    const log = await settledLog(session.id);
    assert.deepEqual(log.map((event) => event.seq), log.map((_, i) => i + 1));
    const sent = log.filter((event) => /^(user|system)\.message$/.test(event.type)).length;
    assert.equal(sent, writes.count(), 'each acknowledged message once');
    assert.ok(sent >= RESTARTS, `${sent} messages`);
    for (const reader of readers) {
      await until(() => reader.seen.length >= log.length,
        () => `${reader.name}: ${reader.seen.length} of ${log.length}, closed: ${reader.isClosed()}`);
      sameLog(reader, log);
    }
  } finally {
    readers.forEach((reader) => reader.close());
    await writes.stop().catch(() => {});
  }
});

test(`A5a A5c A16b A16 readers of all sessions miss and repeat nothing, over ${RESTARTS} kills`, { timeout: TEST_MS }, async () => {
  const sessions = [];
  for (let i = 0; i < 3; i++) sessions.push(await openSession(beta));
  const readers = READERS.map((open) => open(server, '/v1/events/stream?after=0'));
  const writers = sessions.map((session, i) => writer(server, `/v1/sessions/${session.id}/events`,
    (n) => ({ events: [n % 11 === 5 ? say('wait 0.02') : note(`note ${i}/${n}`)] })));
  try {
    await killOften();
    for (const writes of writers) await writes.stop();
    const logs = new Map();
    for (const session of sessions) logs.set(session.id, await settledLog(session.id));
    const total = [...logs.values()].reduce((sum, log) => sum + log.length, 0);
    for (const reader of readers) {
      const ours = () => reader.seen.filter((event) => logs.has(event.session_id));
      await until(() => ours().length >= total,
        () => `${reader.name}: ${ours().length} of ${total}, closed: ${reader.isClosed()}`);
      for (let i = 1; i < reader.seen.length; i++)
        assert.ok(reader.seen[i].cursor > reader.seen[i - 1].cursor, `${reader.name}: cursors rise`);
      for (const [id, log] of logs)
        assert.deepEqual(reader.seen.filter((event) => event.session_id === id).map((event) => event.id),
          log.map((event) => event.id), `${reader.name}: not exactly the log of ${id}`);
    }
  } finally {
    readers.forEach((reader) => reader.close());
    for (const writes of writers) await writes.stop().catch(() => {});
  }
});
