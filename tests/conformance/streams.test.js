// streams - frames as they are on the wire: cursors, gap and reset, headers, the ends of a stream.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { frames, until, writer } from './harness/follow.js';
import { note, openSession, suite } from './harness/suite.js';

const test = suite();

/** The first frames of a stream, up to count that have an event. */
async function take(server, path, count, headers = {}) {
  const end = new AbortController();
  const all = [];
  for await (const frame of frames(server, path, { headers, signal: end.signal })) {
    all.push(frame);
    if (all.filter((one) => one.event).length === count) break;
  }
  end.abort();
  return all;
}

async function filled(beta, notes) {
  const session = await openSession(beta);
  for (let i = 0; i < notes; i++) await beta.sessions.events.send(session.id, { events: [note(`n${i}`)] });
  return { id: session.id, path: `/v1/sessions/${session.id}/events/stream` };
}

const ids = (all) => all.filter((frame) => frame.event).map((frame) => Number(frame.id));

test('A4a the headers come at once, before there is an event', async ({ beta, server }) => {
  const { path } = await filled(beta, 0);
  const answer = await fetch(server.url + path, { headers: { 'x-api-key': server.token, accept: 'application/json' } });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type'), /^text\/event-stream/);
  assert.match(answer.headers.get('cache-control'), /no-cache/);
  assert.equal(answer.headers.get('x-accel-buffering'), 'no');
  assert.match(answer.headers.get('request-id'), /^req_/);
  const { value } = await answer.body.getReader().read();
  assert.match(new TextDecoder().decode(value), /^retry: 500\n/);
});

test('A4d a frame has its id, its name and one line of data', async ({ beta, server }) => {
  const { path } = await filled(beta, 1);
  const [first, created, second] = await take(server, `${path}?after=0`, 2);
  assert.equal(first.retry, '500');
  assert.equal(created.id, '1');
  assert.equal(created.event, 'session.created');
  assert.equal(JSON.parse(second.data).seq, 2);
  assert.equal(JSON.parse(second.data).type, second.event);
});

test('A4c A4d a cursor in the URL or the header goes on behind it, the header wins', async ({ beta, server }) => {
  const { path } = await filled(beta, 5);
  assert.deepEqual(ids(await take(server, `${path}?after=4`, 2)), [5, 6]);
  assert.deepEqual(ids(await take(server, path, 2, { 'last-event-id': '4' })), [5, 6]);
  assert.deepEqual(ids(await take(server, `${path}?after=1`, 2, { 'last-event-id': '4' })), [5, 6]);
  assert.deepEqual(ids(await take(server, `${path}?after=0`, 6)), [1, 2, 3, 4, 5, 6]);
});

test('A4b a cursor at the head waits, without one the stream is live only', async ({ beta, server }) => {
  const { id, path } = await filled(beta, 2);
  for (const query of ['?after=3', '']) {
    const waiting = take(server, path + query, 1);
    await sleep(100);
    const sent = await beta.sessions.events.send(id, { events: [note('live')] });
    assert.equal(JSON.parse((await waiting).find((frame) => frame.event).data).id, sent.data[0].id);
    if (query) await filled(beta, 0);
  }
});

test('A4h a cursor above the head is reset, then live', async ({ beta, server }) => {
  const { id, path } = await filled(beta, 2);
  const reading = take(server, path, 2, { 'last-event-id': '4000' });
  await sleep(100);
  await beta.sessions.events.send(id, { events: [note('live')] });
  const [reset, live] = (await reading).filter((frame) => frame.event);
  assert.equal(reset.event, 'reset');
  assert.deepEqual(JSON.parse(reset.data), { type: 'reset', head: 3 });
  assert.equal(live.id, '4');
});

test('A5 a cursor above the head of all sessions is reset, after a restart too', async ({ beta, server }) => {
  const { id } = await filled(beta, 2);
  const head = await newest(server);
  for (let round = 0; round < 2; round++) {
    const reading = take(server, '/v1/events/stream', 2, { 'last-event-id': '4000000' });
    await sleep(100);
    const sent = await beta.sessions.events.send(id, { events: [note('live')] });
    const [reset, live] = (await reading).filter((frame) => frame.event);
    assert.deepEqual(JSON.parse(reset.data), { type: 'reset', head: head + round });
    assert.equal(JSON.parse(live.data).id, sent.data[0].id);
    await server.restart();
  }
});

/** The store-wide cursor of the last event. */
async function newest(server) {
  const seen = [];
  const end = new AbortController();
  setTimeout(() => end.abort(), 500);
  try {
    for await (const frame of frames(server, '/v1/events/stream?after=0', { signal: end.signal }))
      if (frame.id) seen.push(Number(frame.id));
  } catch { /* the time is over */ }
  return seen.at(-1);
}

test('A5c the stream of all sessions resumes right after a restart', async ({ beta, server }) => {
  const { id } = await filled(beta, 3);
  const head = await newest(server);
  await server.restart();
  const all = await take(server, '/v1/events/stream', 2, { 'last-event-id': String(head - 2) });
  assert.deepEqual(ids(all), [head - 1, head]);
  assert.ok(all.filter((frame) => frame.data).every((frame) => JSON.parse(frame.data).session_id === id));
});

test('A5a A5b P2m the stream of all sessions shows a user only what is theirs', async ({ beta, server }) => {
  const user = (await server.ask('POST', '/v1/users', { name: 'Eve' })).body;
  const made = (await server.ask('POST', '/v1/tokens', { kind: 'user', user_id: user.id })).body;
  const hers = { url: server.url, token: made.token };
  const reading = take(hers, '/v1/events/stream', 1);
  await sleep(100);
  await filled(beta, 2);
  const opened = await server.ask('POST', '/v1/sessions', { agent: 'main', environment_id: 'local-default' },
    { authorization: `Bearer ${made.token}` });
  const first = (await reading).find((frame) => frame.event);
  assert.equal(first.event, 'session.created');
  assert.equal(JSON.parse(first.data).session_id, opened.body.id);
});

test('A4c readers that come to a growing log see each event once, where the log ends too', async ({ beta, server }) => {
  const { id, path } = await filled(beta, 0);
  const writes = Array.from({ length: 4 }, (_, i) => writer(server, `/v1/sessions/${id}/events`,
    (n) => ({ events: [note(`n${n}`)] }), `w${i}`));
  const readers = Array.from({ length: 4 }, async () => {
    for (let round = 0; round < 150; round++) {
      const { head_seq: head } = await beta.sessions.retrieve(id);
      const seen = ids(await take(server, path, 4, { 'last-event-id': String(head) }));
      assert.deepEqual(seen, [head + 1, head + 2, head + 3, head + 4]);
    }
  });
  await Promise.all(readers).finally(() => Promise.all(writes.map((one) => one.stop())));
});

test('A4 a bad cursor or an unknown session is refused as JSON', async ({ beta, server }) => {
  const { path } = await filled(beta, 0);
  for (const [where, headers] of [[`${path}?after=x`, {}], [`${path}?after=-1`, {}], [path, { 'last-event-id': 'x' }],
    [`${path}?after=99999999999999999999`, {}]]) {
    const answer = await server.ask('GET', where, undefined, headers);
    assert.equal(answer.status, 400, where);
    assert.equal(answer.body.error.type, 'invalid_request_error');
  }
  assert.equal((await server.ask('GET', '/v1/sessions/none/events/stream')).status, 404);
});

test('P3k the streams of a revoked token end within a second', async ({ beta, server }) => {
  const { path } = await filled(beta, 0);
  const made = (await server.ask('POST', '/v1/tokens', { kind: 'owner', name: 'short' })).body;
  const reading = take({ url: server.url, token: made.token }, path, 1);
  await sleep(100);
  const revoked = Date.now();
  await server.ask('DELETE', `/v1/tokens/${made.id}`);
  await reading;
  assert.ok(Date.now() - revoked < 1500, `${Date.now() - revoked} ms`);
});

test('A4k a reader that does not read is closed, and misses nothing when it comes back', async ({ beta, server }) => {
  const { id, path } = await filled(beta, 0);
  const lazy = connect(server.port, '127.0.0.1');
  let isOver = false;
  lazy.once('close', () => { isOver = true; }).on('error', () => {});
  lazy.pause();
  lazy.write(`GET ${path}?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${server.token}\r\n\r\n`);
  await until(async () => /perdure_open_streams [1-9]/.test((await server.ask('GET', '/metrics')).body), () => 'no stream');
  const open = async () => Number(/perdure_open_streams (\d+)/.exec((await server.ask('GET', '/metrics')).body)[1]);
  const large = 'x'.repeat(256 * 1024);
  let sent = 0;
  while (await open() > 0 && sent < 120) {
    await beta.sessions.events.send(id, { events: [note(large)] });
    sent++;
  }
  assert.equal(await open(), 0, `still open after ${sent} events of 256 KiB`);
  lazy.resume();
  await until(() => isOver, () => 'the connection stays open');
  const again = await take(server, `${path}?after=0`, sent + 1);
  assert.deepEqual(ids(again), Array.from({ length: sent + 1 }, (_, i) => i + 1));
});
