// sessions - open, read, change, archive and delete them with the public SDK.
import Anthropic from '@anthropic-ai/sdk';
import assert from 'node:assert/strict';
import { collect, note, openSession, say, suite } from './harness/suite.js';

const test = suite();
const MEMBERS = ['id', 'type', 'status', 'agent', 'environment_id', 'title', 'metadata', 'resources', 'vault_ids',
  'outcome_evaluations', 'stats', 'usage', 'budget', 'archived_at', 'created_at', 'updated_at', 'deployment_id'];
const SNAPSHOT = ['id', 'type', 'version', 'name', 'description', 'system', 'model', 'tools', 'mcp_servers',
  'skills', 'multiagent', 'execution_identity'];

test('A1m A1n M4a M4c M4g M4l M7n a new session is idle and has every member of the public object', async ({ beta }) => {
  const session = await openSession(beta, { title: 'First', metadata: { a: '1' } });
  assert.match(session.id, /^sesn_/);
  assert.equal(session.type, 'session');
  assert.equal(session.status, 'idle');
  assert.equal(session.title, 'First');
  assert.equal(session.environment_id, 'local-default');
  assert.deepEqual(session.metadata, { a: '1' });
  for (const member of MEMBERS) assert.ok(member in session, member);
  for (const member of SNAPSHOT) assert.ok(member in session.agent, `agent.${member}`);
  assert.deepEqual(session.stats, { active_seconds: 0, duration_seconds: session.stats.duration_seconds });
  assert.equal(session.usage.cache_creation.ephemeral_5m_input_tokens, 0);
  const again = await beta.sessions.retrieve(session.id);
  assert.deepEqual({ ...again, stats: null }, { ...session, stats: null });
});

test('M4b a session takes its agent by id, by version or with overrides', async ({ beta }) => {
  const agent = await beta.agents.create({ name: 'S', model: 'demo', system: 'one' });
  await beta.agents.update(agent.id, { version: 1, system: 'two' });
  const latest = await openSession(beta, { agent: agent.id });
  assert.equal(latest.agent.version, 2);
  assert.equal(latest.agent.system, 'two');
  const pinned = await openSession(beta, { agent: { type: 'agent', id: agent.id, version: 1 } });
  assert.equal(pinned.agent.version, 1);
  assert.equal(pinned.agent.system, 'one');
  const unpinned = await openSession(beta, { agent: { type: 'agent', id: agent.id } });
  assert.equal(unpinned.agent.version, 2);
  const changed = await openSession(beta, {
    agent: { type: 'agent_with_overrides', id: agent.id, system: 'three', version: 1 },
  });
  assert.equal(changed.agent.id, agent.id);
  assert.equal(changed.agent.system, 'three');
  assert.equal((await beta.agents.retrieve(agent.id)).system, 'two');
});

test('M1m a session keeps the snapshot of the version it was opened on', async ({ beta }) => {
  const agent = await beta.agents.create({ name: 'K', model: 'demo', system: 'old' });
  const session = await openSession(beta, { agent: agent.id });
  await beta.agents.update(agent.id, { system: 'new' });
  const again = await beta.sessions.retrieve(session.id);
  assert.equal(again.agent.system, 'old');
  assert.equal(again.agent.version, 1);
});

test('A1 a session opened on an unknown agent or environment is refused', async ({ beta }) => {
  for (const wrong of [{ agent: 'agent_none' }, { environment_id: 'env_none' },
    { agent: { type: 'agent', id: 'main', version: 99 } }])
    await assert.rejects(openSession(beta, wrong), (error) => error.status === 404 || error.status === 400);
});

test('M10q initial events are in the log and are answered', async ({ beta }) => {
  const session = await openSession(beta, { initial_events: [say('hello there')] });
  const done = await idle(beta, session.id);
  const kinds = done.map((event) => event.type);
  assert.equal(kinds[0], 'session.created');
  assert.equal(done.find((event) => event.type === 'user.message').content[0].text, 'hello there');
  assert.ok(kinds.includes('agent.message'));
});

async function idle(beta, id) {
  for (;;) {
    const events = await collect(beta.sessions.events.list(id));
    if (events.some((event) => event.type === 'session.status_idle')) return events;
  }
}

test('A1o A9q M4l metadata is patched: a null deletes, the rest stays', async ({ beta }) => {
  const session = await openSession(beta, { title: 'T', metadata: { keep: '1', drop: '2', change: '3' } });
  const changed = await beta.sessions.update(session.id, { metadata: { drop: null, change: '4', add: '5' } });
  assert.deepEqual(changed.metadata, { keep: '1', change: '4', add: '5' });
  assert.equal(changed.title, 'T');
  assert.equal((await beta.sessions.update(session.id, { title: 'Renamed' })).title, 'Renamed');
  assert.equal((await beta.sessions.update(session.id, { title: null })).title, null);
  assert.deepEqual((await beta.sessions.retrieve(session.id)).metadata, { keep: '1', change: '4', add: '5' });
});

test('A1 metadata is bounded: 16 pairs, keys of 64, values of 512', async ({ beta }) => {
  const pairs = (n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 'v']));
  await openSession(beta, { metadata: pairs(16) });
  await openSession(beta, { metadata: { ['k'.repeat(64)]: 'v'.repeat(512) } });
  for (const metadata of [pairs(17), { ['k'.repeat(65)]: 'v' }, { k: 'v'.repeat(513) }, { k: 1 }])
    await assert.rejects(openSession(beta, { metadata }), Anthropic.BadRequestError);
});

test('A6a A6b A6d M5a M6l an id given twice reopens: the source stays, metadata is merged', async ({ server }) => {
  const open = (body) => server.ask('POST', '/v1/sessions', { agent: 'main', environment_id: 'local-default', ...body });
  const first = await open({ id: 'cli:alpha', metadata: { a: '1', b: '2' } });
  assert.equal(first.status, 200);
  const second = await open({ id: 'cli:alpha', metadata: { b: null, c: '3' } });
  assert.equal(second.status, 200);
  assert.equal(second.body.id, 'cli:alpha');
  assert.equal(second.body.created_at, first.body.created_at);
  assert.deepEqual(second.body.metadata, { a: '1', c: '3' });
});

test('M5i M5j M5k M5l ids that could leave their place are refused', async ({ server }) => {
  const wrong = ['..', 'a..b', 'a/b', 'a\\b', 'a\u0000b', 'a\nb', 'x'.repeat(201)];
  for (const id of wrong) {
    const answer = await server.ask('POST', '/v1/sessions', { agent: 'main', environment_id: 'local-default', id });
    assert.equal(answer.status, 400, JSON.stringify(id));
    assert.match(answer.body.error.message, /id/);
  }
  const longest = 'x'.repeat(200);
  const answer = await server.ask('POST', '/v1/sessions', { agent: 'main', environment_id: 'local-default', id: longest });
  assert.equal(answer.status, 200);
  assert.equal((await server.ask('GET', `/v1/sessions/${longest}`)).body.id, longest);
});

test('M15a M15b resources given at the start are attached, added, read and detached', async ({ beta }) => {
  const session = await openSession(beta, {
    resources: [{ type: 'github_repository', url: 'https://example.com/a/b', authorization_token: 'sekrit-value' }],
  });
  assert.equal(session.resources.length, 1);
  assert.ok(!JSON.stringify(session).includes('sekrit-value'));
  const added = await beta.sessions.resources.add(session.id, { type: 'github_repository', url: 'https://example.com/c/d' });
  assert.equal(added.type, 'github_repository');
  assert.equal(added.url, 'https://example.com/c/d');
  const listed = await collect(beta.sessions.resources.list(session.id));
  assert.deepEqual(listed.map((one) => one.id).sort(), [session.resources[0].id, added.id].sort());
  const one = await beta.sessions.resources.retrieve(added.id, { session_id: session.id });
  assert.equal(one.id, added.id);
  const rotated = await beta.sessions.resources.update(session.resources[0].id,
    { session_id: session.id, authorization_token: 'other-value' });
  assert.equal(rotated.id, session.resources[0].id);
  assert.ok(!JSON.stringify(rotated).includes('other-value'));
  const gone = await beta.sessions.resources.delete(added.id, { session_id: session.id });
  assert.deepEqual({ id: gone.id, type: gone.type }, { id: added.id, type: 'session_resource_deleted' });
  await assert.rejects(beta.sessions.resources.retrieve(added.id, { session_id: session.id }), Anthropic.NotFoundError);
});

test('A1 threads are read: the list is a page, an unknown one is not found', async ({ beta }) => {
  const session = await openSession(beta);
  const threads = await collect(beta.sessions.threads.list(session.id));
  for (const thread of threads) {
    assert.equal(thread.type, 'session_thread');
    assert.equal(thread.session_id, session.id);
    assert.equal((await beta.sessions.threads.retrieve(thread.id, { session_id: session.id })).id, thread.id);
    assert.ok(Array.isArray((await beta.sessions.threads.events.list(thread.id, { session_id: session.id })).data));
  }
  await assert.rejects(beta.sessions.threads.retrieve('sthr_none', { session_id: session.id }), Anthropic.NotFoundError);
});

test('A1q an archived session takes no more events: ConflictError', async ({ beta }) => {
  const session = await openSession(beta);
  const archived = await beta.sessions.archive(session.id);
  assert.ok(Date.parse(archived.archived_at));
  await assert.rejects(beta.sessions.events.send(session.id, { events: [note('late')] }), Anthropic.ConflictError);
  assert.ok((await beta.sessions.retrieve(session.id)).archived_at);
});

test('A1r A9r P6a a deleted session is gone', async ({ beta }) => {
  const session = await openSession(beta);
  const gone = await beta.sessions.delete(session.id);
  assert.deepEqual({ id: gone.id, type: gone.type }, { id: session.id, type: 'session_deleted' });
  await assert.rejects(beta.sessions.retrieve(session.id), Anthropic.NotFoundError);
  await assert.rejects(beta.sessions.events.list(session.id), Anthropic.NotFoundError);
});

test('A2d what was acknowledged is there after kill -9', async ({ beta, server }) => {
  const session = await openSession(beta, { title: 'Survivor', metadata: { a: '1' } });
  await beta.sessions.events.send(session.id, { events: [note('kept')] });
  await beta.sessions.update(session.id, { metadata: { b: '2' } });
  const before = await collect(beta.sessions.events.list(session.id));
  await server.restart();
  const again = await beta.sessions.retrieve(session.id);
  assert.equal(again.title, 'Survivor');
  assert.deepEqual(again.metadata, { a: '1', b: '2' });
  assert.deepEqual(await collect(beta.sessions.events.list(session.id)), before);
});
