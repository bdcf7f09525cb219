// agents - definitions, version by version, as the public SDK drives them.
import Anthropic from '@anthropic-ai/sdk';
import assert from 'node:assert/strict';
import { collect, suite } from './harness/suite.js';

const test = suite();
const TOOL = {
  type: 'custom', name: 'weather', description: 'How is the weather?',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

test('A1b the SDK finds the agent main on a fresh server', async ({ beta }) => {
  const agent = await beta.agents.retrieve('main');
  assert.equal(agent.id, 'main');
  assert.equal(agent.type, 'agent');
  assert.equal(agent.model.id, 'demo');
});

test('A1a A1b M1b M1c M1k the SDK creates an agent and reads back what it sent', async ({ beta }) => {
  const made = await beta.agents.create({
    name: 'Helper', model: 'demo', system: 'Be brief. 日本 🙂', description: 'for tests',
    tools: [TOOL], metadata: { team: 'blue' },
  });
  assert.equal(made.type, 'agent');
  assert.equal(made.version, 1);
  assert.equal(made.archived_at, null);
  assert.equal(made.system, 'Be brief. 日本 🙂');
  assert.deepEqual(made.metadata, { team: 'blue' });
  assert.equal(made.tools[0].name, 'weather');
  assert.deepEqual(made.tools[0].input_schema, TOOL.input_schema);
  for (const member of ['mcp_servers', 'skills', 'multiagent', 'execution_identity'])
    assert.ok(member in made, member);
  assert.deepEqual(await beta.agents.retrieve(made.id), made);
});

test('A1 the SDK gives a model as text or as an object', async ({ beta }) => {
  const agent = await beta.agents.create({ name: 'O', model: { id: 'demo', speed: 'standard' } });
  assert.equal(agent.model.id, 'demo');
});

test('A1c M1d M1n each real change of an agent makes the next version', async ({ beta }) => {
  const made = await beta.agents.create({ name: 'V', model: 'demo' });
  const next = await beta.agents.update(made.id, { version: 1, system: 'two' });
  assert.equal(next.version, 2);
  assert.equal(next.name, 'V');
  const same = await beta.agents.update(made.id, { version: 2, system: 'two' });
  assert.equal(same.version, 2);
  assert.equal((await beta.agents.retrieve(made.id, { version: 1 })).system ?? null, null);
});

test('M1o M1d A1v an agent update with an old version is a ConflictError, asked once', async ({ beta, server }) => {
  const made = await beta.agents.create({ name: 'C', model: 'demo' });
  await beta.agents.update(made.id, { version: 1, name: 'C2' });
  const before = await requests(server, 409);
  await assert.rejects(beta.agents.update(made.id, { version: 1, name: 'C3' }), (error) => {
    assert.ok(error instanceof Anthropic.ConflictError);
    assert.equal(error.type, 'conflict_error');
    assert.equal(error.headers.get('x-should-retry'), 'false');
    return true;
  });
  assert.equal(await requests(server, 409) - before, 1);
  assert.equal((await beta.agents.retrieve(made.id)).name, 'C2');
});

async function requests(server, status) {
  const scrape = (await server.ask('GET', '/metrics')).body;
  const rows = scrape.matchAll(new RegExp(`^perdure_http_requests_total.*status="${status}"} (\\d+)`, 'gm'));
  return [...rows].reduce((sum, row) => sum + Number(row[1]), 0);
}

test('M1c the SDK pages through the versions of an agent', async ({ beta }) => {
  const made = await beta.agents.create({ name: 'P', model: 'demo' });
  for (let version = 1; version < 6; version++)
    await beta.agents.update(made.id, { version, system: `v${version + 1}` });
  const versions = await collect(beta.agents.versions.list(made.id, { limit: 2 }));
  assert.deepEqual(versions.map((one) => one.version).sort(), [1, 2, 3, 4, 5, 6]);
});

test('A1d A1u the SDK pages through agents without gap or double', async ({ beta }) => {
  const made = [];
  for (let i = 0; i < 7; i++) made.push((await beta.agents.create({ name: `L${i}`, model: 'demo' })).id);
  const listed = (await collect(beta.agents.list({ limit: 3 }))).map((one) => one.id);
  assert.equal(new Set(listed).size, listed.length);
  assert.deepEqual(listed.filter((id) => made.includes(id)), made.toReversed());
  const first = await beta.agents.list({ limit: 3 });
  assert.equal(first.data.length, 3);
  assert.ok(first.hasNextPage());
});

test('A1e M1l an archived agent leaves the list and opens no session', async ({ beta }) => {
  const made = await beta.agents.create({ name: 'X', model: 'demo' });
  const archived = await beta.agents.archive(made.id);
  assert.ok(Date.parse(archived.archived_at));
  const ids = async (query) => (await collect(beta.agents.list(query))).map((one) => one.id);
  assert.ok(!(await ids()).includes(made.id));
  assert.ok((await ids({ include_archived: true })).includes(made.id));
  await assert.rejects(beta.sessions.create({ agent: made.id, environment_id: 'local-default' }),
    (error) => error.status >= 400 && error.status < 500);
});

test('A1 lists are narrowed by the time of creation', async ({ beta }) => {
  const made = await beta.agents.create({ name: 'T', model: 'demo' });
  const has = async (query) => (await collect(beta.agents.list(query))).some((one) => one.id === made.id);
  assert.ok(await has({ 'created_at[gte]': made.created_at }));
  assert.ok(!await has({ 'created_at[lte]': new Date(Date.parse(made.created_at) - 1000).toISOString() }));
});
