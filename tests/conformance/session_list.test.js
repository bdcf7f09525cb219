// session_list - pages both ways and every filter that the SDK and our own clients can ask for.
import Anthropic from '@anthropic-ai/sdk';
import assert from 'node:assert/strict';
import { collect, note, openSession, suite } from './harness/suite.js';

const test = suite();
const ids = (sessions) => sessions.map((session) => session.id);

test('A1p A1u A9n the SDK pages through sessions forth and back, newest activity first', async ({ beta, server }) => {
  const made = [];
  for (let i = 0; i < 7; i++) made.push((await openSession(beta, { title: `S${i}` })).id);
  assert.deepEqual(ids(await collect(beta.sessions.list({ limit: 3 }))), made.toReversed());
  assert.deepEqual(ids(await collect(beta.sessions.list({ limit: 3, order: 'asc' }))), made);
  const first = await beta.sessions.list({ limit: 3 });
  assert.equal(first.prev_page, null);
  const second = await first.getNextPage();
  assert.deepEqual(ids(second.data), made.slice(1, 4).toReversed());
  const back = await server.ask('GET', `/v1/sessions?limit=3&page=${encodeURIComponent(second.prev_page)}`);
  assert.deepEqual(ids(back.body.data), ids(first.data));
  await beta.sessions.events.send(made[0], { events: [note('moves up')] });
  assert.equal((await beta.sessions.list({ limit: 1 })).data[0].id, made[0]);
});

test('A9 sessions made while one pages neither repeat nor hide others', async ({ beta }) => {
  const before = ids(await collect(beta.sessions.list()));
  const page = await beta.sessions.list({ limit: 2 });
  await openSession(beta);
  const seen = ids(page.data);
  for (let next = page; next.hasNextPage();) {
    next = await next.getNextPage();
    seen.push(...ids(next.data));
  }
  assert.deepEqual(seen, before);
});

test('A9f A9g M7ae the list is narrowed by agent, version, status and time', async ({ beta }) => {
  const agent = await beta.agents.create({ name: 'F', model: 'demo' });
  const one = await openSession(beta, { agent: agent.id });
  await beta.agents.update(agent.id, { name: 'F2' });
  const two = await openSession(beta, { agent: agent.id });
  const found = async (query) => ids(await collect(beta.sessions.list({ agent_id: agent.id, ...query }))).sort();
  assert.deepEqual(await found({}), [one.id, two.id].sort());
  assert.deepEqual(await found({ agent_version: 1 }), [one.id]);
  assert.deepEqual(await found({ statuses: ['idle', 'running'] }), [one.id, two.id].sort());
  assert.deepEqual(await found({ statuses: ['terminated'] }), []);
  assert.deepEqual(await found({ 'created_at[gt]': two.created_at }), []);
  assert.deepEqual(await found({ 'created_at[lte]': two.created_at }), [one.id, two.id].sort());
});

test('A1q A9s archived sessions are shown when asked for', async ({ beta }) => {
  const session = await openSession(beta);
  await beta.sessions.archive(session.id);
  assert.ok(!ids(await collect(beta.sessions.list())).includes(session.id));
  assert.ok(ids(await collect(beta.sessions.list({ include_archived: true }))).includes(session.id));
});

test('A9d A9e A9k A9p our own filters: metadata, channel, text, total', async ({ beta, server }) => {
  const open = (body) => server.ask('POST', '/v1/sessions', { agent: 'main', environment_id: 'local-default', ...body });
  await open({ id: 'cli:filters', title: 'Quarterly zebra', metadata: { team: 'blue' } });
  const found = async (query) => {
    const answer = await server.ask('GET', `/v1/sessions?${query}`);
    assert.equal(answer.status, 200, `${query}: ${JSON.stringify(answer.body)}`);
    return ids(answer.body.data);
  };
  assert.deepEqual(await found('metadata.team=blue'), ['cli:filters']);
  assert.deepEqual(await found('metadata.team=red'), []);
  assert.deepEqual(await found('channel=cli:'), ['cli:filters']);
  assert.deepEqual(await found('text=zebra'), ['cli:filters']);
  assert.ok((await found('active_minutes=5')).includes('cli:filters'));
  const total = (await server.ask('GET', '/v1/sessions?include_total=true&limit=1')).body.total;
  assert.equal(total, (await collect(beta.sessions.list())).length);
});

test('A9l page sizes are 1 to 200, a foreign cursor is refused', async ({ beta, server }) => {
  for (const limit of [0, -1, 201, 'many'])
    await assert.rejects(beta.sessions.list({ limit }), Anthropic.BadRequestError);
  await beta.sessions.list({ limit: 200 });
  await beta.agents.create({ name: 'cursor', model: 'demo' });
  const foreign = (await server.ask('GET', '/v1/agents?limit=1')).body.next_page;
  for (const page of [foreign, 'x', '%', 'AAAA'])
    await assert.rejects(beta.sessions.list({ page }), Anthropic.BadRequestError);
});
