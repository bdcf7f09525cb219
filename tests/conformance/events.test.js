// events - send, list and stream a log with the public SDK.
import Anthropic from '@anthropic-ai/sdk';
import assert from 'node:assert/strict';
import { collect, note, openSession, say, suite } from './harness/suite.js';

const test = suite();
const words = (event) => event.content.map((block) => block.text).join('');

/** The events of a stream up to and with the first that ends. */
async function readUntil(stream, ends) {
  const seen = [];
  for await (const event of stream) {
    seen.push(event);
    if (ends(event)) break;
  }
  return seen;
}

test('A2a A2c M10i the answer to a batch lists the stored events in order, with ids', async ({ beta }) => {
  const session = await openSession(beta);
  const answer = await beta.sessions.events.send(session.id, { events: [say('wait 0.01'), note('and this')] });
  assert.deepEqual(answer.data.map((event) => event.type), ['user.message', 'system.message']);
  assert.ok(answer.data.every((event) => event.id.startsWith('sevt_')));
  const log = await collect(beta.sessions.events.list(session.id));
  for (const event of answer.data) assert.ok(log.some((one) => one.id === event.id));
});

test('A2b a batch with one wrong event stores none of it', async ({ beta }) => {
  const session = await openSession(beta);
  const before = await collect(beta.sessions.events.list(session.id));
  await assert.rejects(beta.sessions.events.send(session.id, { events: [say('good'), { type: 'user.message' }] }),
    Anthropic.BadRequestError);
  assert.deepEqual(await collect(beta.sessions.events.list(session.id)), before);
});

test('A3b A3f A3g M9a the log is dense from 1, in order, and pages both ways', async ({ beta }) => {
  const session = await openSession(beta);
  for (let i = 0; i < 9; i++) await beta.sessions.events.send(session.id, { events: [note(`n${i}`)] });
  const asc = await collect(beta.sessions.events.list(session.id, { limit: 4 }));
  assert.deepEqual(asc.map((event) => event.seq), Array.from({ length: 10 }, (_, i) => i + 1));
  const desc = await collect(beta.sessions.events.list(session.id, { limit: 4, order: 'desc' }));
  assert.deepEqual(desc.map((event) => event.seq), asc.map((event) => event.seq).toReversed());
});

test('A3a A3c A3d A3e the log is narrowed by types, seqs and around an event', async ({ beta, server }) => {
  const session = await openSession(beta);
  for (let i = 0; i < 9; i++) await beta.sessions.events.send(session.id, { events: [note(`n${i}`)] });
  const typed = await collect(beta.sessions.events.list(session.id, { types: ['session.created', 'user.message'] }));
  assert.deepEqual(typed.map((event) => event.type), ['session.created']);
  const seqs = async (query) => {
    const answer = await server.ask('GET', `/v1/sessions/${session.id}/events?${query}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body.data.map((event) => event.seq);
  };
  assert.deepEqual(await seqs('after=7'), [8, 9, 10]);
  assert.deepEqual(await seqs('before=4'), [1, 2, 3]);
  assert.deepEqual(await seqs('after=2&before=6'), [3, 4, 5]);
  const middle = (await server.ask('GET', `/v1/sessions/${session.id}/events?after=4&limit=1`)).body.data[0];
  const around = await seqs(`around=${middle.id}&limit=3`);
  assert.ok(around.includes(5) && around.length <= 3, String(around));
  assert.deepEqual(await seqs('types=session.created&types=system.message&limit=2'), [1, 2]);
});

test('A3 a bad limit or cursor is a BadRequestError', async ({ beta }) => {
  const session = await openSession(beta);
  for (const query of [{ limit: 0 }, { limit: 1001 }, { page: 'junk' }, { order: 'up' }, { types: ['no.such'] }])
    await assert.rejects(beta.sessions.events.list(session.id, query), Anthropic.BadRequestError, JSON.stringify(query));
  await beta.sessions.events.list(session.id, { limit: 1000 });
});

test('A4b M8a M10a M10j M10s M10ak M10al the SDK streams a turn: what it sent, the answer, then idle', async ({ beta }) => {
  const session = await openSession(beta);
  const stream = await beta.sessions.events.stream(session.id);
  const sent = await beta.sessions.events.send(session.id, { events: [say('hello stream')] });
  const seen = await readUntil(stream, (event) => event.type === 'session.status_idle');
  const kinds = seen.map((event) => event.type);
  assert.equal(seen[0].id, sent.data[0].id);
  for (const kind of ['user.message', 'session.status_running', 'span.model_request_start', 'agent.message',
    'span.model_request_end', 'session.status_idle'])
    assert.ok(kinds.includes(kind), `${kind} in ${kinds}`);
  assert.equal(seen.at(-1).stop_reason.type, 'end_turn');
  const listed = await collect(beta.sessions.events.list(session.id));
  assert.deepEqual(seen.map((event) => event.id), listed.slice(1).map((event) => event.id));
});

test('A4i previews come when asked for and add up to the stored message', async ({ beta }) => {
  const session = await openSession(beta);
  const stream = await beta.sessions.events.stream(session.id, { event_deltas: ['agent.message'] });
  await beta.sessions.events.send(session.id, { events: [say('one two three four five six seven')] });
  const seen = await readUntil(stream, (event) => event.type === 'session.status_idle');
  const final = seen.find((event) => event.type === 'agent.message');
  const start = seen.findIndex((event) => event.type === 'event_start');
  assert.ok(start >= 0 && seen[start].event.id === final.id);
  const text = seen.filter((event) => event.type === 'event_delta' && event.event_id === final.id)
    .map((event) => event.delta.content.text).join('');
  assert.equal(text, words(final));
});

test('A4i no previews without asking', async ({ beta }) => {
  const session = await openSession(beta);
  const stream = await beta.sessions.events.stream(session.id);
  await beta.sessions.events.send(session.id, { events: [say('one two three')] });
  const seen = await readUntil(stream, (event) => event.type === 'session.status_idle');
  assert.ok(seen.every((event) => event.seq > 0));
});

test('M10aj the stream of a deleted session says so and ends', async ({ beta }) => {
  const session = await openSession(beta);
  const stream = await beta.sessions.events.stream(session.id);
  await beta.sessions.delete(session.id);
  const seen = await readUntil(stream, () => false);
  assert.equal(seen.at(-1).type, 'session.deleted');
});

test('A4b opening first, then listing, misses nothing', async ({ beta }) => {
  const session = await openSession(beta);
  let sending = true;
  const writer = (async () => {
    for (let i = 0; sending; i++) await beta.sessions.events.send(session.id, { events: [note(`n${i}`)] });
  })();
  for (let round = 0; round < 10; round++) {
    const stream = await beta.sessions.events.stream(session.id);
    const listed = await collect(beta.sessions.events.list(session.id, { limit: 1000 }));
    const live = await readUntil(stream, (event) => event.seq > listed.length + 3);
    const seqs = new Set([...listed, ...live].map((event) => event.seq));
    assert.equal(seqs.size, Math.max(...seqs));
  }
  sending = false;
  await writer;
});

test('A7f wait answers with the text of the turn, append runs nothing', async ({ beta, server }) => {
  const session = await openSession(beta);
  const post = (body) => server.ask('POST', `/v1/sessions/${session.id}/messages`, body);
  const waited = await post({ text: 'say it', mode: 'wait' });
  assert.equal(waited.status, 200);
  assert.equal(waited.body.triggered, true);
  assert.equal(waited.body.stop_reason.type, 'end_turn');
  assert.ok(waited.body.text.length > 0);
  const appended = await post({ text: 'only stored', mode: 'append' });
  assert.equal(appended.body.triggered, false);
  assert.equal(appended.body.queue_position, null);
  const late = await post({ text: 'wait 30', mode: 'wait', timeout_ms: 300 });
  assert.equal(late.status, 504);
  assert.equal(late.body.error.type, 'timeout_error');
});
