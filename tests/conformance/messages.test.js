// messages - say something to a session: wait for the answer, stream it, queue behind it, or neither.
import assert from 'node:assert/strict';
import { frames, until } from './harness/follow.js';
import { collect, openSession, suite } from './harness/suite.js';

const test = suite();
const QUEUE_DEPTH = 20;

async function fresh(beta, server) {
  const { id } = await openSession(beta);
  return { id, post: (body, headers) => server.ask('POST', `/v1/sessions/${id}/messages`, body, headers) };
}

async function busy(beta, server) {
  const session = await fresh(beta, server);
  await session.post({ text: 'wait 60' });
  await until(async () => (await beta.sessions.retrieve(session.id)).status === 'running', () => 'no turn begins');
  return session;
}

test('A7a A7b A7c the default answer comes once the message is durable', async ({ beta, server }) => {
  const { id, post } = await fresh(beta, server);
  const { status, body } = await post({ text: 'hello' });
  assert.equal(status, 200);
  assert.equal(body.type, 'message');
  assert.equal(body.session_id, id);
  assert.equal(body.triggered, true);
  assert.equal(body.queue_position, 0);
  const log = await collect(beta.sessions.events.list(id));
  assert.equal(log.find((event) => event.id === body.event_id).content[0].text, 'hello');
});

test('A7f wait has the text, the stop reason and the usage of the turn', async ({ beta, server }) => {
  const { id, post } = await fresh(beta, server);
  const { body } = await post({ text: 'tell me', mode: 'wait' });
  assert.equal(body.stop_reason.type, 'end_turn');
  assert.deepEqual(body.tool_calls, []);
  assert.equal(typeof body.usage.input_tokens, 'number');
  const said = (await collect(beta.sessions.events.list(id, { types: ['agent.message'] })))
    .map((event) => event.content.map((block) => block.text).join('')).join('\n\n');
  assert.equal(body.text, said);
});

test('A7h stream has the answer first, then the turn, and ends with it', async ({ beta, server }) => {
  const { id } = await fresh(beta, server);
  const answer = await fetch(`${server.url}/v1/sessions/${id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'one two three', mode: 'stream' }),
  });
  assert.match(answer.headers.get('content-type'), /^text\/event-stream/);
  const blocks = (await answer.text()).split('\n\n').filter((block) => block.includes('data:'));
  const data = blocks.map((block) => JSON.parse(/^data: (.*)$/m.exec(block)[1]));
  assert.equal(data[0].type, 'message');
  assert.equal(data.at(-1).type, 'session.status_idle');
  const final = data.find((event) => event.type === 'agent.message');
  const deltas = data.filter((event) => event.type === 'event_delta' && event.event_id === final.id);
  assert.equal(deltas.map((event) => event.delta.content.text).join(''), final.content[0].text);
});

test('A7g a timeout is 504 with what there is, and the turn goes on', async ({ beta, server }) => {
  const { id, post } = await fresh(beta, server);
  const late = await post({ text: 'wait 0.6', mode: 'wait', timeout_ms: 100 });
  assert.equal(late.status, 504);
  assert.equal(late.body.error.type, 'timeout_error');
  assert.equal(typeof late.body.error.details.text, 'string');
  await until(async () => (await collect(beta.sessions.events.list(id))).at(-1).type === 'session.status_idle',
    () => 'the turn did not end');
});

test('A7 a message_id said twice is one message, with another text 422', async ({ beta, server }) => {
  const { id, post } = await fresh(beta, server);
  const first = await post({ text: 'same', mode: 'append', message_id: 'm-1' });
  const again = await post({ text: 'same', mode: 'append', message_id: 'm-1' });
  assert.equal(again.status, 200);
  assert.equal(again.body.event_id, first.body.event_id);
  assert.equal((await post({ text: 'other', mode: 'append', message_id: 'm-1' })).status, 422);
  assert.equal((await collect(beta.sessions.events.list(id, { types: ['user.message'] }))).length, 1);
});

test('Q3n Q3o Q3p behind a turn messages queue, in order, and the 21st is 429 and not stored', async ({ beta, server }) => {
  const { id, post } = await busy(beta, server);
  for (let n = 1; n <= QUEUE_DEPTH; n++)
    assert.equal((await post({ text: `n${n}` })).body.queue_position, n);
  const head = (await beta.sessions.retrieve(id)).head_seq;
  const refused = await post({ text: 'one too many' });
  assert.equal(refused.status, 429);
  assert.equal(refused.body.error.type, 'rate_limit_error');
  assert.equal((await beta.sessions.retrieve(id)).head_seq, head);
  assert.equal((await server.ask('GET', `/v1/sessions/${id}/queue`)).body.data.length, QUEUE_DEPTH);
});

test('Q3c Q3k M7o reject while a turn runs is a 409 that nobody retries', async ({ beta, server }) => {
  const { post } = await busy(beta, server);
  const refused = await post({ text: 'now or never', busy: 'reject' });
  assert.equal(refused.status, 409);
  assert.equal(refused.body.error.type, 'conflict_error');
  assert.equal(refused.headers.get('x-should-retry'), 'false');
});

test('Q1c Q3g what was queued is answered after kill -9, each once', async ({ beta, server }) => {
  const { id, post } = await fresh(beta, server);
  await post({ text: 'wait 0.3' });
  for (const text of ['first', 'second']) await post({ text });
  await server.restart();
  await until(async () => {
    const log = await collect(beta.sessions.events.list(id));
    return log.every((event) => event.processed_at !== null) && log.at(-1).type === 'session.status_idle';
  }, () => 'the queue is not worked off');
  const said = await collect(beta.sessions.events.list(id, { types: ['user.message'] }));
  assert.deepEqual(said.map((event) => event.content[0].text), ['wait 0.3', 'first', 'second']);
  const ends = await collect(beta.sessions.events.list(id, { types: ['session.status_idle'] }));
  assert.equal(ends.length, 3);
});

test('A4i a reader that joins in mid-message gets the text so far', async ({ beta, server }) => {
  const { id, post } = await fresh(beta, server);
  const early = readTurn(server, id, 0);
  await post({ text: 'say begun and\nwait 0.8\nsay done' });
  await until(() => early.deltas() > 0, () => 'nothing is streamed');
  const head = (await beta.sessions.retrieve(id)).head_seq;
  const late = readTurn(server, id, head);
  for (const { done } of [early, late]) {
    const seen = await done;
    const message = seen.find((event) => event.type === 'agent.message');
    const start = seen.find((event) => event.type === 'event_start');
    assert.equal(start.event.id, message.id);
    const pieces = seen.filter((event) => event.type === 'event_delta' && event.event_id === message.id);
    assert.equal(pieces.map((event) => event.delta.content.text).join(''), message.content[0].text);
  }
});

/** What a reader with previews sees from a cursor to the end of the turn. */
function readTurn(server, id, after) {
  const seen = [];
  const path = `/v1/sessions/${id}/events/stream?after=${after}&event_deltas[]=agent.message`;
  const done = (async () => {
    for await (const frame of frames(server, path)) {
      if (frame.data) seen.push(JSON.parse(frame.data));
      if (frame.event === 'session.status_idle') break;
    }
    return seen;
  })();
  return { done, deltas: () => seen.filter((event) => event.type === 'event_delta').length };
}
