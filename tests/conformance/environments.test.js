// environments - where tools run: create, retrieve, update, list, archive, delete.
import Anthropic from '@anthropic-ai/sdk';
import assert from 'node:assert/strict';
import { collect, suite } from './harness/suite.js';

const test = suite();

test('A1h M2p the SDK finds the environment local-default on a fresh server', async ({ beta }) => {
  const environment = await beta.environments.retrieve('local-default');
  assert.equal(environment.type, 'environment');
  assert.equal(environment.config.type, 'local');
});

test('A1g A1h M2b the SDK creates environments of every kind', async ({ beta }) => {
  const configs = [
    { type: 'cloud', networking: { type: 'unrestricted' } },
    { type: 'self_hosted' },
    { type: 'local', working_directory: '/tmp', sandbox: { mode: 'off', workspace_access: 'rw', network: 'off' } },
  ];
  for (const config of configs) {
    const made = await beta.environments.create({
      name: config.type, config, description: 'one', metadata: { a: 'b' },
    });
    assert.equal(made.type, 'environment');
    assert.equal(made.config.type, config.type);
    assert.equal(made.description, 'one');
    assert.deepEqual(made.metadata, { a: 'b' });
    assert.equal(made.archived_at, null);
    assert.deepEqual(await beta.environments.retrieve(made.id), made);
  }
});

test('A1i M2c the SDK updates an environment, a null in the metadata deletes', async ({ beta }) => {
  const made = await beta.environments.create({ name: 'E', metadata: { a: '1', b: '2' } });
  const changed = await beta.environments.update(made.id, { name: 'F', metadata: { a: null, c: '3' } });
  assert.equal(changed.name, 'F');
  assert.deepEqual(changed.metadata, { b: '2', c: '3' });
});

test('A1j A1u the SDK pages through environments', async ({ beta }) => {
  const made = [];
  for (let i = 0; i < 5; i++) made.push((await beta.environments.create({ name: `L${i}` })).id);
  const listed = (await collect(beta.environments.list({ limit: 2 }))).map((one) => one.id);
  assert.equal(new Set(listed).size, listed.length);
  assert.deepEqual(listed.filter((id) => made.includes(id)), made.toReversed());
});

test('A1k the SDK archives an environment', async ({ beta }) => {
  const made = await beta.environments.create({ name: 'A' });
  assert.ok(Date.parse((await beta.environments.archive(made.id)).archived_at));
  const ids = async (query) => (await collect(beta.environments.list(query))).map((one) => one.id);
  assert.ok(!(await ids()).includes(made.id));
  assert.ok((await ids({ include_archived: true })).includes(made.id));
});

test('A1l the SDK deletes an environment', async ({ beta }) => {
  const made = await beta.environments.create({ name: 'D' });
  const gone = await beta.environments.delete(made.id);
  assert.equal(gone.id, made.id);
  assert.equal(gone.type, 'environment_deleted');
  await assert.rejects(beta.environments.retrieve(made.id), Anthropic.NotFoundError);
});
