// sdk - a server made of the public SDK of 2026-07-28, which refuses anything older.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../conformance/harness/server.js';
import { Driver } from './driver.js';

const SERVER = join(dirname(fileURLToPath(import.meta.url)), 'sdk_server.js');
const TEST_MS = 60_000;
const given = {};

before(async () => {
  given.home = mkdtempSync(join(tmpdir(), 'perdure-mcp-sdk-'));
  given.log = join(given.home, 'log');
  const port = await freePort();
  given.url = `http://127.0.0.1:${port}/mcp`;
  given.child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, SERVER, 'http', String(port), given.log],
    { stdio: ['ignore', 'inherit', 'inherit'] });
  given.ended = new Promise((done) => given.child.once('close', done));
  for (let i = 0; i < 500 && !(await fetch(given.url).catch(() => null)); i++) await sleep(20);
});

after(async () => {
  given.child.kill('SIGKILL');
  await given.ended;
  rmSync(given.home, { recursive: true });
});

for (const [name, target] of [['stdio', () => [process.execPath, SERVER, 'stdio']], ['HTTP', () => given.url]])
  test(`T10 a server of the public SDK, 2026-07-28 (${name})`, { timeout: TEST_MS }, async () => {
    const driver = Driver.begin(target());
    const { tools, problems, peer } = await driver.list();
    assert.deepEqual(problems, []);
    assert.deepEqual([peer.protocol, peer.name, peer.version], ['2026-07-28', 'sdk', '2']);
    assert.deepEqual(tools.map((tool) => tool.name), ['echo', 'grow', 'slow']);
    assert.equal((await driver.call('echo', { text: 'née' })).output, 'née');

    assert.equal((await driver.call('grow')).outcome, 'ok');
    await driver.ask('run', 500); // the change is told on the subscription
    assert.ok((await driver.list()).tools.some((tool) => tool.name === 'grown0'));

    driver.start('a', 'slow', { ms: 20_000 });
    await driver.ask('run', 300);
    await driver.ask('cancel', 'a');
    if (name === 'HTTP') {
      for (let i = 0; i < 200 && !existsSync(given.log); i++) await driver.ask('run', 20);
      assert.ok(existsSync(given.log), 'the server did not hear of it');
    }
    assert.equal((await driver.call('echo', { text: 'again' })).output, 'again');
    assert.equal(await driver.leave(), 0);
  });
