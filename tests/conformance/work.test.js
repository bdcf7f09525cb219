// work - the public SDK executes tools: for one session, and as the worker of an environment.
import Anthropic from '@anthropic-ai/sdk';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './harness/follow.js';
import { Proxy } from './harness/proxy.js';
import { collect, say, sdk, suite } from './harness/suite.js';

const test = suite();
const IDLE_MS = 300; // a runner that has nothing to do ends
const LONG_MS = 60_000;

const custom = { type: 'custom', name: 'deploy', description: 'd', input_schema: { type: 'object', properties: {} } };
const builtIn = (policy) => ({
  type: 'agent_toolset_20260401', default_config: { permission_policy: { type: policy } },
});
const bash = (command) => `tool bash ${JSON.stringify({ command })}`;

/** An agent, an environment of the caller's own machines, its key, and a session there. */
async function world({ beta, server }, policy = 'always_allow') {
  const agent = await beta.agents.create({ name: 'A', model: 'demo', tools: [builtIn(policy), custom] });
  const environment = await beta.environments.create({ name: 'E', config: { type: 'self_hosted' } });
  const token = { kind: 'environment', environment_id: environment.id };
  const key = (await server.ask('POST', '/v1/tokens', token)).body.token;
  const session = await beta.sessions.create({ agent: agent.id, environment_id: environment.id });
  return { agent, environment, key, session, queue: `/v1/environments/${environment.id}/work` };
}

/** The SDK's worker, until the test ends. */
function work(t, client, { environment, key }, options = {}) {
  const end = new AbortController();
  const workdir = mkdtempSync(join(tmpdir(), 'perdure-work-'));
  const done = client.beta.environments.work.worker({
    environmentId: environment.id, environmentKey: key, workdir, maxIdleMs: IDLE_MS, ...options,
  }).run(end.signal).catch((error) => { if (!end.signal.aborted) throw error; });
  t.after(async () => {
    end.abort();
    await done;
    rmSync(workdir, { recursive: true });
  });
  return (file) => readFileSync(join(workdir, file), 'utf8');
}

const events = (beta, session) => collect(beta.sessions.events.list(session.id));
const send = (beta, session, ...batch) => beta.sessions.events.send(session.id, { events: batch });
const items = (beta, environment) => collect(beta.environments.work.list(environment.id));
const words = (log) => log.filter((one) => one.type === 'agent.message')
  .map((one) => one.content.map((block) => block.text).join('')).join('\n');
const calls = (log) => log.filter((one) => /tool_use$/.test(one.type));
const results = (log) => log.filter((one) => /^user\..*tool_result$/.test(one.type));
const isIdle = (one) => one.type === 'session.status_idle';

/** Waits until the session has parked on a call; the call. */
async function parked(beta, session) {
  let log = [];
  await until(async () => (log = await events(beta, session)).at(-1).stop_reason?.type === 'requires_action',
    () => JSON.stringify(log.slice(-4)));
  return calls(log).at(-1);
}

/** The log once n turns are over; each ended well, and every call in it has one result. */
async function finished(beta, session, n = 1) {
  let ends = [];
  let log = [];
  await until(async () => {
    log = await events(beta, session).catch(() => log);
    ends = log.filter((one) => isIdle(one) && one.stop_reason.type !== 'requires_action');
    return ends.length >= n;
  }, () => JSON.stringify(log.slice(-4)), LONG_MS);
  assert.deepEqual(ends.map((one) => one.stop_reason.type), Array(n).fill('end_turn'));
  assert.equal(calls(log).length, results(log).length);
  return log;
}

// ---- the queue, call by call ----

test('T11a T11b T11c T11d the SDK takes an item, holds it and ends it', async (given) => {
  const { beta, server } = given;
  const { environment, session, key } = await world(given);
  const queue = sdk(server, { apiKey: key }).beta.environments.work;
  const of = { environment_id: environment.id };
  assert.equal(await queue.poll(environment.id), null);
  await send(beta, session, say('tool deploy {}'));
  const taken = await queue.poll(environment.id, { block_ms: 999, 'Anthropic-Worker-ID': 'box' });
  assert.equal(taken.type, 'work');
  assert.equal(taken.state, 'queued');
  assert.deepEqual(taken.data, { type: 'session', id: session.id });
  assert.match(JSON.parse(Buffer.from(taken.secret, 'base64url')).sessions_token, /^pdr_/);
  const stats = await queue.stats(environment.id);
  assert.deepEqual(stats, { type: 'work_queue_stats', depth: 0, pending: 1, oldest_queued_at: taken.created_at,
    workers_polling: 1 });
  const { secret, ...shown } = taken;
  assert.deepEqual(await queue.retrieve(taken.id, of), { ...shown, secret: null });
  assert.equal((await queue.ack(taken.id, of)).state, 'starting');
  const first = await queue.heartbeat(taken.id, { ...of, expected_last_heartbeat: 'NO_HEARTBEAT', desired_ttl_seconds: 9 });
  assert.deepEqual({ ...first, last_heartbeat: '' },
    { type: 'work_heartbeat', last_heartbeat: '', lease_extended: true, state: 'active', ttl_seconds: 9 });
  await assert.rejects(queue.heartbeat(taken.id, { ...of, expected_last_heartbeat: 'NO_HEARTBEAT' }), (error) => {
    assert.equal(error.status, 412);
    assert.equal(error.errorCode, 'heartbeat_precondition_failed');
    assert.deepEqual(error.details.current_state,
      { last_heartbeat: first.last_heartbeat, lease_extended: false, state: 'active', ttl_seconds: 9 });
    return true;
  });
  const next = await queue.heartbeat(taken.id, { ...of, expected_last_heartbeat: first.last_heartbeat });
  assert.ok(Date.parse(next.last_heartbeat) > Date.parse(first.last_heartbeat));
  assert.deepEqual((await queue.update(taken.id, { ...of, metadata: { a: '1' } })).metadata, { a: '1' });
  assert.deepEqual((await queue.update(taken.id, { ...of, metadata: { a: null, b: '2' } })).metadata, { b: '2' });
  // The operator asks, the worker reads it and ends.
  assert.equal((await beta.environments.work.stop(taken.id, of)).state, 'stopping');
  const last = await queue.heartbeat(taken.id, { ...of, expected_last_heartbeat: 'NO_HEARTBEAT' });
  assert.deepEqual([last.state, last.lease_extended], ['stopping', false]);
  assert.equal((await queue.stop(taken.id, { ...of, force: true })).state, 'stopped');
  await assert.rejects(queue.stop(taken.id, { ...of, force: true }), Anthropic.ConflictError);
  // The call still waits: it goes to the next worker.
  await until(async () => (await items(beta, environment)).length === 2, () => 'not queued again');
  assert.deepEqual((await items(beta, environment)).map((one) => one.state), ['queued', 'stopped']);
});

test('P3i an environment\'s token reaches its queue and its sessions, an item\'s secret one of them', async (given) => {
  const { beta, server } = given;
  const mine = await world(given);
  const other = await world(given);
  await send(beta, mine.session, say('tool deploy {}'));
  await send(beta, other.session, say('tool deploy {}'));
  const status = async (token, method, path, body) =>
    (await server.ask(method, path, body, { authorization: `Bearer ${token}` })).status;
  await parked(beta, mine.session);
  const call = await parked(beta, other.session);
  const { body: item } = await server.ask('GET', `${mine.queue}/poll?block_ms=9000`, undefined,
    { authorization: `Bearer ${mine.key}` });
  const secret = JSON.parse(Buffer.from(item.secret, 'base64url')).sessions_token;
  const sibling = await beta.sessions.create({ agent: mine.agent.id, environment_id: mine.environment.id });
  const result = { events: [{ type: 'user.custom_tool_result', custom_tool_use_id: call.id, content: [] }] };
  for (const [token, method, path, body, want] of [
    [mine.key, 'GET', `${mine.queue}/stats`, undefined, [200]],
    [mine.key, 'GET', `${other.queue}/poll`, undefined, [403, 404]],
    [mine.key, 'GET', `/v1/sessions/${mine.session.id}`, undefined, [200]],
    [mine.key, 'GET', `/v1/sessions/${other.session.id}`, undefined, [403, 404]],
    [mine.key, 'POST', `/v1/sessions/${mine.session.id}/messages`, { text: 'x' }, [403, 404]],
    [mine.key, 'POST', `/v1/sessions/${other.session.id}/events`, result, [403, 404]],
    [mine.key, 'GET', '/v1/agents', undefined, [403, 404]],
    [mine.key, 'GET', '/v1/tokens', undefined, [403, 404]],
    [secret, 'GET', `${mine.queue}/${item.id}`, undefined, [200]],
    [secret, 'GET', `${mine.queue}/poll`, undefined, [403, 404]],
    [secret, 'GET', `/v1/sessions/${mine.session.id}/events`, undefined, [200]],
    [secret, 'GET', `/v1/sessions/${sibling.id}`, undefined, [403, 404]],
    [secret, 'POST', `/v1/sessions/${mine.session.id}/messages`, { text: 'x' }, [403, 404]],
    [secret, 'POST', `/v1/sessions/${mine.session.id}/events`, { events: [say('x')] }, [403, 404]],
  ]) {
    const got = await status(token, method, path, body);
    assert.ok(want.includes(got), `${token === secret ? 'secret' : 'key'} ${method} ${path}: ${got}`);
  }
});

test('T11 an item survives kill -9, with its lease and its secret', async (given) => {
  const { beta, server } = given;
  const { environment, session, key } = await world(given);
  const of = { environment_id: environment.id };
  const queue = sdk(server, { apiKey: key }).beta.environments.work;
  await send(beta, session, say('tool deploy {}'));
  const taken = await queue.poll(environment.id, { block_ms: 999 });
  await queue.ack(taken.id, of);
  const held = sdk(server, { apiKey: JSON.parse(Buffer.from(taken.secret, 'base64url')).sessions_token }).beta;
  const { last_heartbeat: beat } = await held.environments.work.heartbeat(taken.id,
    { ...of, expected_last_heartbeat: 'NO_HEARTBEAT' });
  await server.restart();
  assert.equal((await held.environments.work.heartbeat(taken.id, { ...of, expected_last_heartbeat: beat })).state, 'active');
  assert.equal((await held.sessions.retrieve(session.id)).id, session.id);
  assert.equal(await queue.poll(environment.id), null);
  assert.equal((await items(beta, environment)).length, 1);
}, LONG_MS);

// ---- the worker ----

test('M2e M10d M10l the SDK\'s worker executes bash for a session, and ends its item', async (given, t) => {
  const { beta, client } = given;
  const made = await world(given);
  const file = work(t, client, made);
  await send(beta, made.session, say(bash('echo one-$((40 + 2)) | tee out.txt')));
  const log = await finished(beta, made.session);
  assert.match(words(log), /one-42/);
  assert.deepEqual(calls(log).map((one) => one.type), ['agent.tool_use']);
  assert.deepEqual(results(log).map((one) => one.type), ['user.tool_result']);
  assert.equal(file('out.txt'), 'one-42\n');
  const stopped = async () => (await items(beta, made.environment)).every((one) => one.state === 'stopped');
  await until(stopped, () => 'still held');
  await send(beta, made.session, say(`${bash('echo two >> out.txt')}\n${bash('cat out.txt')}`));
  assert.match(words(await finished(beta, made.session, 2)), /one-42\ntwo/);
  await until(stopped, () => 'still held');
  assert.equal((await items(beta, made.environment)).length, 2);
}, LONG_MS);

test('M2a the SDK\'s worker serves sessions one after the other', async (given, t) => {
  const { beta, client } = given;
  const made = await world(given);
  const sessions = [made.session];
  for (let i = 0; i < 3; i++)
    sessions.push(await beta.sessions.create({ agent: made.agent.id, environment_id: made.environment.id }));
  for (const session of sessions) await send(beta, session, say(bash(`echo for ${session.id}`)));
  work(t, client, made);
  for (const session of sessions)
    assert.match(words(await finished(beta, session)), new RegExp(`for ${session.id}`));
}, LONG_MS);

test('T11 a worker whose connections are cut goes on, and executes once', async (given, t) => {
  const { beta, server } = given;
  const made = await world(given);
  const proxy = await Proxy.begin(server);
  t.after(() => proxy.remove());
  const file = work(t, sdk({ url: proxy.url, token: server.token }), made);
  await send(beta, made.session, say(`${bash('echo a >> log; sleep 1')}\n${bash('echo b >> log')}`));
  await until(() => { try { return file('log') === 'a\n'; } catch { return false; } }, () => 'it has not begun', LONG_MS);
  assert.ok(proxy.cut() > 0);
  await finished(beta, made.session);
  assert.equal(file('log'), 'a\nb\n');
}, LONG_MS);

test('T11 a turn of a worker survives kill -9 of the server, and executes once', async (given, t) => {
  const { beta, client, server } = given;
  const made = await world(given);
  const file = work(t, client, made);
  await send(beta, made.session, say(`${bash('echo a >> log; sleep 1')}\n${bash('echo b >> log')}`));
  await until(() => { try { return file('log') === 'a\n'; } catch { return false; } }, () => 'it has not begun', LONG_MS);
  await server.restart();
  const log = await finished(beta, made.session);
  assert.equal(file('log'), 'a\nb\n');
  assert.equal(new Set(log.filter((one) => one.type === 'session.status_running').map((one) => one.turn_id)).size, 1);
}, LONG_MS);

test('T11e what a dead worker held goes to the next one', async (given, t) => {
  const { beta, client, server } = given;
  const made = await world(given);
  const of = { environment_id: made.environment.id };
  const dead = sdk(server, { apiKey: made.key }).beta.environments.work;
  await send(beta, made.session, say(bash('echo alive')));
  const item = await dead.poll(made.environment.id, { block_ms: 999 });
  await dead.ack(item.id, of);
  const beat = await dead.heartbeat(item.id, { ...of, expected_last_heartbeat: 'NO_HEARTBEAT', desired_ttl_seconds: 1 });
  work(t, client, made);
  assert.match(words(await finished(beta, made.session)), /alive/);
  await assert.rejects(dead.heartbeat(item.id, { ...of, expected_last_heartbeat: beat.last_heartbeat }),
    (error) => error.status === 412 || error.status === 409);
  assert.equal((await items(beta, made.environment)).length, 1);
}, LONG_MS);

test('T8b M10c a worker holds what a person is asked about, and executes it when they allow it late', async (given, t) => {
  const { beta, server } = given;
  const made = await world(given, 'always_ask');
  const proxy = await Proxy.begin(server);
  t.after(() => proxy.remove());
  const file = work(t, sdk({ url: proxy.url, token: server.token }), made);
  await send(beta, made.session, say(`${bash('echo a >> log')}\n${bash('echo b >> log')}\n${bash('cat log')}`));
  for (const [i, result] of ['allow', 'deny', 'allow'].entries()) {
    let call;
    await until(async () => {
      const log = await events(beta, made.session);
      call = calls(log)[i];
      return log.at(-1).stop_reason?.type === 'requires_action' && call;
    }, () => `no question ${i}`);
    assert.equal(call.evaluated_permission, 'ask');
    if (i > 0) proxy.cut(); // the confirmation comes while the worker is away
    await send(beta, made.session, { type: 'user.tool_confirmation', tool_use_id: call.id, result });
  }
  let log = [];
  await until(async () => (log = await events(beta, made.session)).at(-1).stop_reason?.type === 'end_turn',
    () => JSON.stringify(log.slice(-4)), LONG_MS);
  assert.equal(file('log'), 'a\n');
}, LONG_MS);

// ---- one session's runner ----

/** The SDK's runner of one session, with a tool that notes its calls; resolves when it ends. */
function runner(client, session, ran, options = {}) {
  const tool = {
    type: 'custom', name: 'deploy', description: 'd', input_schema: { type: 'object' },
    run: async (input) => {
      ran.push(input);
      await sleep(options.takes ?? 0);
      return `deployed ${JSON.stringify(input)}`;
    },
  };
  return collect(client.beta.sessions.events.toolRunner(session.id, { tools: [tool], maxIdleMs: IDLE_MS, ...options }));
}

test('T9a M10e M10n the SDK\'s toolRunner completes a turn with a custom tool', async (given) => {
  const { beta, client } = given;
  const { session } = await world(given);
  const ran = [];
  await send(beta, session, say('tool deploy {"n":1}\ntool deploy {"n":2}\nsay done'));
  const done = await runner(client, session, ran);
  const log = await finished(beta, session);
  assert.deepEqual(ran, [{ n: 1 }, { n: 2 }]);
  assert.deepEqual(done.map((one) => one.posted), [true, true]);
  assert.match(words(log), /deployed {"n":1}[^]*deployed {"n":2}[^]*done/);
}, LONG_MS);

test('T9 a toolRunner whose stream is cut completes the turn, and calls once', async (given, t) => {
  const { beta, server } = given;
  const { session } = await world(given);
  const proxy = await Proxy.begin(server);
  t.after(() => proxy.remove());
  const ran = [];
  await send(beta, session, say('tool deploy {"n":1}\ntool deploy {"n":2}'));
  const done = runner(sdk({ url: proxy.url, token: server.token }), session, ran, { takes: 500 });
  await until(() => ran.length === 1, () => 'no call');
  proxy.cut();
  await done;
  await finished(beta, session);
  assert.deepEqual(ran, [{ n: 1 }, { n: 2 }]);
}, LONG_MS);

test('T9 a toolRunner survives kill -9 of the server in the middle of a call', async (given) => {
  const { beta, client, server } = given;
  const { session } = await world(given);
  const ran = [];
  await send(beta, session, say('tool deploy {"n":1}\ntool deploy {"n":2}'));
  const done = runner(client, session, ran, { takes: 500 });
  await until(() => ran.length === 1, () => 'no call');
  await server.restart();
  await done;
  await finished(beta, session);
  assert.deepEqual(ran, [{ n: 1 }, { n: 2 }]);
}, LONG_MS);

test('T9b T9d two runners answer the same call: the first result counts, the second is told so', async (given) => {
  const { beta, client } = given;
  const { session } = await world(given);
  const ran = [];
  await send(beta, session, say('tool deploy {"n":1}'));
  const both = await Promise.all([runner(client, session, ran, { takes: 300 }), runner(client, session, ran, { takes: 300 })]);
  assert.equal(ran.length, 2);
  assert.deepEqual(both.flat().map((one) => one.posted), [true, true]);
  await finished(beta, session); // with one result
}, LONG_MS);

test('T11 a worker\'s result that comes twice, also after kill -9, is answered with the first', async (given, t) => {
  const { beta, client, server } = given;
  const made = await world(given);
  work(t, client, made);
  await send(beta, made.session, say(bash('echo once')));
  const log = await finished(beta, made.session);
  const [first] = results(log);
  const again = { type: 'user.tool_result', tool_use_id: calls(log)[0].id, content: [{ type: 'text', text: 'twice' }] };
  for (const token of [made.key, server.token]) {
    const answer = await sdk(server, { apiKey: token }).beta.sessions.events.send(made.session.id, { events: [again] });
    assert.deepEqual(answer.data.map((one) => one.id), [first.id]);
    await server.restart();
  }
  assert.deepEqual((await events(beta, made.session)).map((one) => one.id), log.map((one) => one.id));
  await assert.rejects(send(beta, made.session, { ...again, tool_use_id: 'sevt_nobody' }),
    (error) => error.status >= 400 && error.status < 500);
}, LONG_MS);
