// description - what the server says about itself, judged by the tools that others read it with.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { note, openSession, say, suite } from './harness/suite.js';

const test = suite();
const HERE = fileURLToPath(new URL('.', import.meta.url));
const FETCHED = join(HERE, '../../build/peers/promtool'); // by tools/setup, where none is installed
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

function run(program, args, options) {
  const done = spawnSync(program, args, { encoding: 'utf8', timeout: 20_000, ...options });
  if (done.error) throw done.error;
  return done;
}

test('A14d promtool has no complaint about /metrics', async ({ beta, server }) => {
  const session = await openSession(beta);
  await beta.sessions.events.send(session.id, { events: [say('count this'), note('and this')] });
  await beta.sessions.retrieve('none').catch(() => {});
  const scrape = await server.ask('GET', '/metrics');
  assert.equal(scrape.status, 200);
  assert.match(scrape.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  const checked = run(existsSync(FETCHED) ? FETCHED : 'promtool', ['check', 'metrics'], { input: scrape.body });
  assert.equal(checked.status, 0, checked.stderr + checked.stdout);
});

test('A14d the count of appended events is that of the log', async ({ beta, server }) => {
  const appended = async () => Number(/^perdure_events_appended_total (\d+)/m.exec((await server.ask('GET', '/metrics')).body)[1]);
  const before = await appended();
  const session = await openSession(beta);
  await beta.sessions.events.send(session.id, { events: [note('one')] });
  assert.equal(await appended() - before, 2);
});

test('A14 the OpenAPI document passes a linter', async ({ server }) => {
  const answer = await server.ask('GET', '/v1/openapi.json');
  assert.equal(answer.status, 200);
  const file = join(server.home, 'openapi.json');
  writeFileSync(file, JSON.stringify(answer.body));
  const linted = run(process.execPath, [join(HERE, 'node_modules/@redocly/cli/bin/cli.js'), 'lint', file,
    '--config', join(HERE, 'redocly.yaml'), '--format', 'json'], { env: { ...process.env, ...QUIET } });
  const { totals, problems } = JSON.parse(linted.stdout.slice(linted.stdout.indexOf('{')));
  assert.deepEqual({ errors: totals.errors, warnings: totals.warnings }, { errors: 0, warnings: 0 },
    JSON.stringify(problems.slice(0, 3), null, 2));
});

test('A14 every operation of the document is answered, and none of them by a stranger', async ({ server }) => {
  const { paths } = (await server.ask('GET', '/v1/openapi.json')).body;
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const target = server.url + path.replace(/\{\w+\}/g, 'none');
      const answer = await fetch(target, { method: method.toUpperCase() });
      await answer.body?.cancel();
      assert.equal(answer.status, operation.security?.length === 0 ? 200 : 401, `${method} ${path}`);
    }
  }
});

test('A14b A14c liveness and readiness need no token', async ({ server }) => {
  for (const path of ['/healthz', '/readyz']) {
    const answer = await fetch(server.url + path);
    assert.equal(answer.status, 200);
    assert.equal((await answer.json()).status, 'ok');
  }
});
