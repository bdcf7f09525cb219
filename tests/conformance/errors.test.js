// errors - each refusal is the exception that a user of the SDK expects, with the request's id.
import Anthropic from '@anthropic-ai/sdk';
import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { note, openSession, sdk, suite } from './harness/suite.js';

const test = suite();

async function refused(promise, kind, type) {
  const error = await promise.then(() => assert.fail('was not refused'), (reason) => reason);
  assert.ok(error instanceof kind, `${error?.constructor?.name}: ${error}`);
  assert.equal(error.type, type);
  assert.match(error.requestID, /^req_/);
  assert.equal(error.error.request_id, error.requestID);
  assert.equal(error.headers.get('x-request-id'), error.requestID);
  assert.ok(error.apiMessage.length > 0);
  return error;
}

test('A1s A1t what is absent is a NotFoundError with a code', async ({ beta }) => {
  const session = await refused(beta.sessions.retrieve('sesn_none'), Anthropic.NotFoundError, 'not_found_error');
  assert.equal(session.errorCode, 'session_not_found');
  await refused(beta.agents.retrieve('agent_none'), Anthropic.NotFoundError, 'not_found_error');
  await refused(beta.environments.retrieve('env_none'), Anthropic.NotFoundError, 'not_found_error');
});

test('P3 a wrong token, none, and one in the URL are AuthenticationErrors', async ({ server }) => {
  const wrong = sdk(server, { apiKey: 'perdure_wrong' });
  await refused(wrong.beta.agents.list(), Anthropic.AuthenticationError, 'authentication_error');
  for (const path of ['/v1/agents', `/v1/agents?token=${server.token}`, `/v1/agents?api_key=${server.token}`]) {
    const answer = await fetch(server.url + path);
    assert.equal(answer.status, 401);
    assert.equal((await answer.json()).error.type, 'authentication_error');
  }
});

test('P3 the same token works as Bearer and as X-Api-Key', async ({ server }) => {
  for (const headers of [{ authorization: `Bearer ${server.token}` }, { 'x-api-key': server.token }])
    assert.equal((await fetch(`${server.url}/v1/agents`, { headers })).status, 200);
});

test('P3b P3f P2a P2j P2l a token is shown once, acts for its user and ends when revoked', async ({ server, beta }) => {
  const user = (await server.ask('POST', '/v1/users', { name: 'Ada' })).body;
  assert.equal(user.type, 'user');
  const made = (await server.ask('POST', '/v1/tokens', { kind: 'user', user_id: user.id, name: 'laptop' })).body;
  const listed = (await server.ask('GET', '/v1/tokens')).body.data.find((one) => one.id === made.id);
  assert.ok(!('token' in listed) && !JSON.stringify(listed).includes(made.token));
  const hers = sdk(server, { apiKey: made.token });
  const mine = await openSession(beta);
  const session = await openSession(hers.beta);
  assert.equal((await hers.beta.sessions.retrieve(session.id)).id, session.id);
  await refused(hers.beta.sessions.retrieve(mine.id), Anthropic.NotFoundError, 'not_found_error');
  assert.deepEqual((await hers.beta.sessions.list()).data.map((one) => one.id), [session.id]);
  await server.ask('DELETE', `/v1/tokens/${made.id}`);
  await refused(hers.beta.sessions.retrieve(session.id), Anthropic.AuthenticationError, 'authentication_error');
});

test('P2l what one may not see answers like what is not there', async ({ server, beta }) => {
  const user = (await server.ask('POST', '/v1/users', { name: 'Bob' })).body;
  const made = (await server.ask('POST', '/v1/tokens', { kind: 'user', user_id: user.id })).body;
  const session = await openSession(beta);
  const read = async (id) => {
    const answer = await fetch(`${server.url}/v1/sessions/${id}`, { headers: { 'x-api-key': made.token } });
    return { status: answer.status, body: await answer.json() };
  };
  const hidden = await read(session.id);
  const absent = await read(session.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')));
  assert.equal(hidden.status, 404);
  assert.equal(absent.status, 404);
  assert.equal(hidden.body.error.type, absent.body.error.type);
  assert.deepEqual(hidden.body.error.details, absent.body.error.details);
});

test('A1s a wrong field is a BadRequestError that names it', async ({ beta }) => {
  const session = await openSession(beta);
  const cases = [
    [() => beta.agents.create({ name: 7, model: 'demo' }), /name/],
    [() => beta.agents.create({ model: 'demo' }), /name/],
    [() => beta.agents.create({ name: 'N', model: 'demo', colour: 'red' }), /colour/],
    [() => beta.sessions.events.send(session.id, { events: [{ type: 'user.nonsense' }] }), /events\[0\]/],
    [() => openSession(beta, { metadata: { a: 1 } }), /metadata/],
  ];
  for (const [ask, names] of cases) {
    const error = await refused(ask(), Anthropic.BadRequestError, 'invalid_request_error');
    assert.match(error.apiMessage, names);
  }
});

test('A10f A10g A10k a repeated key replays, with another body it is an UnprocessableEntityError', async ({ client, beta }) => {
  const session = await openSession(beta);
  const send = (words, key) => beta.sessions.events.send(session.id, { events: [note(words)] },
    { headers: { 'Idempotency-Key': key } });
  const first = await send('once', 'key-1').withResponse();
  const again = await send('once', 'key-1').withResponse();
  assert.equal(first.response.headers.get('idempotency-replayed'), null);
  assert.equal(again.response.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(again.data.data.map((event) => event.id), first.data.data.map((event) => event.id));
  await refused(send('twice', 'key-1'), Anthropic.UnprocessableEntityError, 'invalid_request_error');
  const log = (await client.beta.sessions.events.list(session.id)).data;
  assert.equal(log.filter((event) => event.type === 'system.message').length, 1);
});

test('A10 a key holds across kill -9, and parallel repeats make one effect', async ({ beta, server }) => {
  const key = { headers: { 'Idempotency-Key': 'make-one' } };
  const made = await beta.agents.create({ name: 'Once', model: 'demo' }, key);
  await server.restart();
  assert.equal((await beta.agents.create({ name: 'Once', model: 'demo' }, key)).id, made.id);
  const parallel = await Promise.allSettled(Array.from({ length: 8 }, () => beta.agents.create(
    { name: 'Parallel', model: 'demo' }, { maxRetries: 0, headers: { 'Idempotency-Key': 'parallel' } })));
  const ids = parallel.filter((one) => one.status === 'fulfilled').map((one) => one.value.id);
  assert.ok(ids.length > 0);
  assert.equal(new Set(ids).size, 1);
  for (const one of parallel.filter((each) => each.status === 'rejected')) assert.equal(one.reason.status, 409);
});

test('A1 a connection that breaks is retried by the SDK and arrives', async ({ server }) => {
  let broken = 0;
  const relay = createServer((socket) => {
    socket.on('error', () => {});
    if (broken++ < 2) return socket.destroy();
    const up = connect(server.port, '127.0.0.1').on('error', () => {});
    socket.pipe(up).pipe(socket);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => relay.once('listening', done));
  const client = sdk(server, { baseURL: `http://127.0.0.1:${relay.address().port}` });
  assert.equal((await client.beta.agents.retrieve('main')).id, 'main');
  assert.equal(broken, 3);
  relay.close();
});

test('A1 a body over the limit is 413, a foreign Host or Origin a refusal', async ({ beta, server }) => {
  await assert.rejects(beta.agents.create({ name: 'x'.repeat(9 << 20), model: 'demo' }, { maxRetries: 0 }),
    (error) => error.status === 413);
  const foreign = await fetch(`${server.url}/v1/agents`,
    { headers: { authorization: `Bearer ${server.token}`, origin: 'https://evil.example' } });
  assert.equal(foreign.status, 403);
});
