// servers - the public reference servers, unmodified, over stdio and over streamable HTTP.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../conformance/harness/server.js';
import { Driver } from './driver.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const TEST_MS = 60_000;
const packaged = (name) => join(HERE, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
const EVERYTHING = [process.execPath, packaged('server-everything'), 'stdio'];
const given = {};

async function serveHttp(port) {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath,
    packaged('server-everything'), 'streamableHttp'],
  { stdio: 'ignore', env: { ...process.env, PORT: String(port) } });
  const ended = new Promise((done) => child.once('close', done));
  for (let i = 0; i < 500; i++, await sleep(20))
    if (await fetch(`http://127.0.0.1:${port}/mcp`).catch(() => null))
      return { child, stop: () => { child.kill('SIGKILL'); return ended; } };
  throw new Error('server-everything did not start');
}

before(async () => {
  given.home = mkdtempSync(join(tmpdir(), 'perdure-mcp-'));
  given.port = await freePort();
  given.http = await serveHttp(given.port);
  given.url = `http://127.0.0.1:${given.port}/mcp`;
});

after(async () => {
  await given.http?.stop();
  rmSync(given.home, { recursive: true });
});

/** With a client of its own, which has to leave in good order. */
function using(name, target, run, options = []) {
  test(name, { timeout: TEST_MS }, async () => {
    const driver = Driver.begin(typeof target === 'function' ? target() : target, options);
    await run(driver);
    assert.equal(await driver.leave(), 0);
  });
}

const both = (name, run, options) => {
  using(`${name} (stdio)`, EVERYTHING, run, options);
  using(`${name} (HTTP)`, () => given.url, run, options);
};

both('T10 server-everything: tools and calls', async (driver) => {
  const { tools, problems, peer } = await driver.list();
  assert.deepEqual(problems, []);
  assert.equal(peer.protocol, '2025-11-25');
  assert.match(peer.name, /everything/);
  const echo = tools.find((tool) => tool.name === 'echo');
  assert.equal(echo.schema.properties.message.type, 'string');
  assert.equal(echo.server, 'peer');
  assert.deepEqual(await driver.call('echo', { message: 'Grüße 日本 🙂\n"x"' }),
    { key: 'k', outcome: 'ok', output: 'Echo: Grüße 日本 🙂\n"x"' });
  const sum = await driver.call('get-sum', { a: 2, b: 40 });
  assert.match(sum.output, /42/);
});

both('T10 server-everything: pictures, resources, structured results', async (driver) => {
  assert.match((await driver.call('get-tiny-image')).output, /\[image image\/png, \d+ bytes\]/);
  assert.match((await driver.call('get-resource-links', { count: 2 })).output, /\[link \S+ \(/);
  assert.match((await driver.call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }))
    .output, /\[resource \S+\]\n/);
  const weather = await driver.call('get-structured-content', { location: 'Chicago' });
  assert.ok('temperature' in JSON.parse(weather.output), weather.output);
});

both('T10 a wrong call is an error with its reason', async (driver) => {
  const wrong = await driver.call('get-sum', { a: 'two' });
  assert.equal(wrong.outcome, 'error');
  assert.match(wrong.output, /number/);
  const unknown = await driver.call('no-such-tool');
  assert.equal(unknown.outcome, 'error');
  assert.match(unknown.output, /MCP server peer: it has no tool no-such-tool/);
});

both('T10 progress keeps a long call alive', async (driver) => {
  const { outcome, output } = await driver.call('trigger-long-running-operation',
    { duration: 3, steps: 6 }, 1500);
  assert.equal(outcome, 'ok', output);
});

both('T10 a slow server is a timeout', async (driver) => {
  const began = Date.now();
  const { outcome } = await driver.call('trigger-long-running-operation',
    { duration: 20, steps: 1 }, 700);
  assert.equal(outcome, 'timeout');
  assert.ok(Date.now() - began < 10_000);
  assert.equal((await driver.call('echo', { message: 'still there' })).outcome, 'ok');
});

using('T10 server-filesystem reads and writes where it may', () =>
  [process.execPath, packaged('server-filesystem'), given.home], async (driver) => {
  writeFileSync(join(given.home, 'a.txt'), 'one\ntwo\n');
  const { tools } = await driver.list();
  assert.equal(tools.find((tool) => tool.name === 'read_text_file').read_only, true);
  assert.equal(tools.find((tool) => tool.name === 'write_file').read_only, false);
  const read = await driver.call('read_text_file', { path: join(given.home, 'a.txt') });
  assert.deepEqual([read.outcome, read.output], ['ok', 'one\ntwo\n']);
  const wrote = await driver.call('write_file', { path: join(given.home, 'b.txt'), content: 'né\n' });
  assert.equal(wrote.outcome, 'ok', wrote.output);
  assert.equal(readFileSync(join(given.home, 'b.txt'), 'utf8'), 'né\n');
  const outside = await driver.call('read_text_file', { path: '/etc/passwd' });
  assert.equal(outside.outcome, 'error');
  assert.match(outside.output, /outside allowed/i);
  writeFileSync(join(given.home, 'binary'), Buffer.from([0x61, 0, 0x62]));
  const binary = await driver.call('read_text_file', { path: join(given.home, 'binary') });
  assert.deepEqual([binary.outcome, binary.output], ['ok', 'a\ufffdb']);
});

using('T10 server-memory keeps a graph', () =>
  ['env', `MEMORY_FILE_PATH=${join(given.home, 'graph.json')}`, process.execPath,
    packaged('server-memory')], async (driver) => {
  const made = await driver.call('create_entities', { entities: [
    { name: 'Ada', entityType: 'person', observations: ['writes programs'] }] });
  assert.equal(made.outcome, 'ok', made.output);
  assert.match((await driver.call('search_nodes', { query: 'Ada' })).output, /writes programs/);
  assert.ok(existsSync(join(given.home, 'graph.json')));
});

using('T10 kill -9 of a server in the middle of a call: an error, and the next call connects anew',
  EVERYTHING, async (driver) => {
    const { peer } = await driver.list();
    driver.start('a', 'trigger-long-running-operation', { duration: 20, steps: 2 });
    await driver.ask('run', 300);
    process.kill(peer.pid, 'SIGKILL');
    const lost = await driver.ask('await', 'a');
    assert.equal(lost.outcome, 'error');
    assert.match(lost.output, /ended by signal 9.*not known/s);
    assert.equal((await driver.call('echo', { message: 'again' })).output, 'Echo: again');
    assert.notEqual((await driver.list()).peer.pid, peer.pid);
  });

test('T10 a server over HTTP that was restarted has lost the session: a new one is begun',
  { timeout: TEST_MS }, async () => {
    const port = await freePort();
    const first = await serveHttp(port);
    const driver = Driver.begin(`http://127.0.0.1:${port}/mcp`);
    assert.equal((await driver.call('echo', { message: '1' })).output, 'Echo: 1');
    await first.stop();
    const second = await serveHttp(port);
    assert.equal((await driver.call('echo', { message: '2' })).output, 'Echo: 2');
    assert.equal(await driver.leave(), 0);
    await second.stop();
  });

using('T10 children die with the client', EVERYTHING, async (driver) => {
  const { peer } = await driver.list();
  await driver.leave();
  for (let i = 0; i < 200 && existsSync(`/proc/${peer.pid}`); i++) await sleep(10);
  assert.ok(!existsSync(`/proc/${peer.pid}`));
});

using('T10 an idle connection is closed and the child with it', EVERYTHING, async (driver) => {
  const { peer } = await driver.list();
  await driver.ask('run', 2500);
  assert.deepEqual(await driver.ask('connections'), { connections: 0 });
  assert.ok(!existsSync(`/proc/${peer.pid}`));
  assert.equal((await driver.call('echo', { message: 'back' })).output, 'Echo: back');
}, ['--idle-ms', '300']);
