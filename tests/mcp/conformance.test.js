// conformance - the public harness judges our client: everything that a revision asks of clients,
// except authorization.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const HARNESS = join(HERE, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const TEST_MS = 60_000;

function run(words) {
  const child = spawn(process.execPath, [HARNESS, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => { said += piece; });
  return new Promise((done) => child.once('close', (code) => done({ code, said })));
}

/** The harness's own list: "  - name [2025-11-25,2026-07-28]", those of clients under their heading. */
async function scenarios(version) {
  const { said } = await run(['list']);
  const clients = said.slice(said.indexOf('Client scenarios'), said.indexOf('Authorization server'));
  return [...clients.matchAll(/- (\S+) \[([^\]]*)\]/g)]
    .filter(([, name, versions]) => versions.split(',').includes(version) && !name.startsWith('auth/'))
    .map(([, name]) => name);
}

// Each harness starts a server and a client: three at a time keep the machine busy and the clock true.
for (const [version, least] of [['2025-11-25', 5], ['2026-07-28', 8]])
  test(`T10 the public conformance harness, ${version}`, { concurrency: 3 }, async (t) => {
    const names = await scenarios(version);
    assert.ok(names.length >= least, `the harness lists only ${names}`);
    await Promise.all(names.map((name) =>
      t.test(`T10 conformance ${version}: ${name}`, { timeout: TEST_MS }, async () => {
        const { code, said } = await run(['client', '--scenario', name, '--spec-version', version,
          '--command', `${process.execPath} ${join(HERE, 'scenario.js')}`]);
        assert.equal(code, 0, said);
        assert.match(said, /Passed: (\d+)\/\1, 0 failed, 0 warnings/);
      })));
  });
