// ws - the npm package `ws`, and the class that browsers have, speak the API over one WebSocket.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import Ws from 'ws';
import { until } from './harness/follow.js';
import { Socket } from './harness/socket.js';
import { collect, note, openSession, say, suite } from './harness/suite.js';

const test = suite();

/** The status that refuses to open one. */
function refusal(server, { headers = {}, protocols = [], path = '/v1/ws' } = {}) {
  return new Promise((done) => {
    const ws = new Ws(server.url.replace(/^http/, 'ws') + path, protocols, { headers });
    ws.on('unexpected-response', (_, answer) => { done(answer.statusCode); ws.terminate(); });
    ws.on('open', () => { done(101); ws.terminate(); });
    ws.on('error', () => {});
  });
}

test('A16a requests get the answers of HTTP', async ({ server }) => {
  const socket = await Socket.open(server);
  const made = await socket.ask('POST', '/v1/sessions', { body: { agent: 'main', environment_id: 'local-default' } });
  assert.equal(made.status, 200);
  assert.match(made.headers['request-id'], /^req_/);
  const path = `/v1/sessions/${made.body.id}`;
  await socket.ask('POST', `${path}/events`, { body: { events: [note('one')] } });
  for (const asked of [path, `${path}/events?limit=1`, `${path}/events?after=x`, '/v1/sessions/none', '/v1/agents/main']) {
    const here = await socket.ask('GET', asked);
    const there = await server.ask('GET', asked);
    assert.equal(here.status, there.status, asked);
    delete here.body.request_id;
    delete there.body.request_id;
    assert.deepEqual(here.body, there.body, asked);
  }
  assert.equal((await socket.ask('DELETE', path)).status, 200);
  assert.equal((await server.ask('GET', path)).status, 404);
  await socket.close();
});

test('A16c a browser opens one with its token among the protocols', async ({ server }) => {
  const ws = new WebSocket(`${server.url.replace(/^http/, 'ws')}/v1/ws`, ['perdure.v1', `perdure.token.${server.token}`]);
  const socket = await Socket.over(ws);
  assert.equal(ws.protocol, 'perdure.v1');
  assert.equal((await socket.ask('GET', '/v1/agents/main')).body.id, 'main');
  await socket.close();
});

test('P3 nobody opens one without a token, or from a foreign page', async ({ server }) => {
  const headers = { authorization: `Bearer ${server.token}` };
  assert.equal(await refusal(server), 401);
  assert.equal(await refusal(server, { headers: { authorization: 'Bearer pdr_0' } }), 401);
  assert.equal(await refusal(server, { path: `/v1/ws?token=${server.token}` }), 401);
  assert.equal(await refusal(server, { protocols: ['perdure.v1', 'perdure.token.pdr_0'] }), 401);
  assert.equal(await refusal(server, { headers: { ...headers, origin: 'https://evil.example' } }), 403);
  assert.equal(await refusal(server, { headers: { ...headers, host: 'evil.example' } }), 421);
  assert.equal(await refusal(server, { headers, protocols: ['graphql-ws'] }), 400);
  assert.equal(await refusal(server, { headers: { ...headers, origin: server.url } }), 101);
});

test('A16a a conversation: post, watch it being written, read the transcript', async ({ beta, server }) => {
  const session = await openSession(beta);
  const path = `/v1/sessions/${session.id}`;
  const socket = await Socket.open(server);
  const events = [];
  const stream = await socket.ask('GET', `${path}/events/stream?event_deltas[]=agent.message`,
    { onEvent: (message) => events.push(message) });
  assert.equal(stream.type, 'subscribed');
  const answer = await socket.ask('POST', `${path}/messages`, { body: { text: 'Hello there', mode: 'wait' } });
  assert.equal(answer.status, 200);
  assert.equal(answer.body.stop_reason.type, 'end_turn');
  await until(() => events.some((one) => one.event.type === 'session.status_idle'), () => JSON.stringify(events));
  const deltas = events.filter((one) => one.event.type === 'event_delta').map((one) => one.event.delta.content.text);
  assert.equal(deltas.join(''), answer.body.text);
  const stored = events.filter((one) => one.cursor !== undefined);
  const log = await collect(beta.sessions.events.list(session.id));
  assert.deepEqual(stored.map((one) => one.event.id), log.slice(-stored.length).map((event) => event.id));
  socket.unsubscribe(stream.id);
  assert.equal(await stream.ended, 'asked');
  await socket.close();
});

test('A16a a message may stream its own turn', async ({ beta, server }) => {
  const session = await openSession(beta);
  const socket = await Socket.open(server);
  const events = [];
  const stream = await socket.ask('POST', `/v1/sessions/${session.id}/messages`,
    { body: { text: 'Hello', mode: 'stream' }, onEvent: ({ event }) => events.push(event.type) });
  assert.equal(await stream.ended, 'ended');
  assert.equal(events[0], 'message');
  assert.ok(events.includes('agent.message'));
  assert.equal(events.at(-1), 'session.status_idle');
  await socket.close();
});

test('A10g A10k A16a A16 a key is one key, here and over HTTP', async ({ beta, server }) => {
  const session = await openSession(beta);
  const path = `/v1/sessions/${session.id}/events`;
  const body = { events: [note('once')] };
  const socket = await Socket.open(server);
  const first = await socket.ask('POST', path, { body, key: 'k' });
  const again = await server.ask('POST', path, body, { 'idempotency-key': 'k' });
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.equal(again.body.data[0].id, first.body.data[0].id);
  assert.equal((await socket.ask('POST', path, { body: { events: [note('twice')] }, key: 'k' })).status, 422);
  await socket.close();
});

test('A16 the last event of a deleted session ends its stream', async ({ beta, server }) => {
  const session = await openSession(beta);
  const socket = await Socket.open(server);
  const events = [];
  const stream = await socket.ask('GET', `/v1/sessions/${session.id}/events/stream?after=0`,
    { onEvent: ({ event }) => events.push(event.type) });
  await socket.ask('DELETE', `/v1/sessions/${session.id}`);
  assert.equal(await stream.ended, 'ended');
  assert.deepEqual(events, ['session.created', 'session.deleted']);
  await socket.close();
});

test('P3e P3k a revoked token closes it with 4401 within a second', async ({ server }) => {
  const made = (await server.ask('POST', '/v1/tokens', { kind: 'owner', name: 'short' })).body;
  const socket = await Socket.open({ url: server.url, token: made.token });
  const revoked = Date.now();
  await server.ask('DELETE', `/v1/tokens/${made.id}`);
  assert.equal((await socket.closed).code, 4401);
  assert.ok(Date.now() - revoked < 1500, `${Date.now() - revoked} ms`);
});

test('P2 a role that changes counts from the next message on', async ({ server }) => {
  const user = (await server.ask('POST', '/v1/users', { name: 'Eve', role: 'owner' })).body;
  const made = (await server.ask('POST', '/v1/tokens', { kind: 'user', user_id: user.id })).body;
  const socket = await Socket.open({ url: server.url, token: made.token });
  assert.equal((await socket.ask('GET', '/v1/users')).status, 200);
  await server.ask('POST', `/v1/users/${user.id}`, { role: 'guest' });
  assert.equal((await socket.ask('GET', '/v1/users')).status, 404);
  await socket.close();
});

test('A16 what is no message is answered, what is no text closes', async ({ server }) => {
  const socket = await Socket.open(server);
  const said = [];
  socket.take = (message) => said.push(message);
  socket.ws.send('hello');
  socket.ws.send('{"id":7}');
  await until(() => said.length === 2, () => JSON.stringify(said));
  assert.deepEqual(said.map(({ id, status }) => [id, status]), [[null, 400], [7, 400]]);
  socket.ws.send(Buffer.from([1, 2, 3]));
  assert.equal((await socket.closed).code, 1003);
});

test('A16b one who does not read misses nothing', async ({ beta, server }) => {
  const session = await openSession(beta);
  const path = `/v1/sessions/${session.id}/events`;
  const socket = await Socket.open(server);
  const cursors = [];
  await socket.ask('GET', `${path}/stream?after=0`, { onEvent: ({ cursor }) => cursors.push(cursor) });
  socket.ws.pause();
  const large = 'x'.repeat(256 * 1024);
  for (let i = 0; i < 40; i++) await server.ask('POST', path, { events: [note(large)] });
  socket.ws.resume();
  await until(() => cursors.length === 41, () => `${cursors.length} events`);
  assert.deepEqual(cursors, Array.from({ length: 41 }, (_, i) => i + 1));
  await socket.close();
});

test('A16 a server that stops says so with 1001', async ({ beta, server }) => {
  const session = await openSession(beta);
  const socket = await Socket.open(server);
  const stream = await socket.ask('GET', `/v1/sessions/${session.id}/events/stream`, { onEvent: () => {} });
  const slow = socket.ask('POST', `/v1/sessions/${session.id}/messages`,
    { body: { text: 'wait 0.3', mode: 'wait' } }).catch((error) => error);
  await sleep(100);
  server.child.kill('SIGTERM');
  assert.equal((await socket.closed).code, 1001);
  assert.equal(await stream.ended, 'interrupted');
  assert.ok([200, 503].includes((await slow).status), 'answered before it closes');
  await server.ended;
  await server.start();
});

test('A16 a posted event reaches a hundred streams of other connections', async ({ beta, server }) => {
  const session = await openSession(beta);
  const sockets = await Promise.all(Array.from({ length: 100 }, () => Socket.open(server)));
  let heard = 0;
  await Promise.all(sockets.map((socket) => socket.ask('GET', `/v1/sessions/${session.id}/events/stream`,
    { onEvent: ({ event }) => { heard += event.type === 'user.message'; } })));
  await beta.sessions.events.send(session.id, { events: [say('hello')] });
  await until(() => heard === 100, () => `${heard} heard it`);
  await Promise.all(sockets.map((socket) => socket.close()));
});
