// turn - a session whose agent calls the tools of MCP servers: declared by the agent and by its
// environment, over HTTP and as a child, in the sandbox and without.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, Server } from '../conformance/harness/server.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const EVERYTHING = join(HERE, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const ALLOW = { permission_policy: { type: 'always_allow' } };
const TEST_MS = 60_000;
// No interpreter of the tests' own is to be seen in a sandbox: what is there is the system's.
const PEER = readFileSync(join(HERE, '../unit/mcp_peer.py'), 'utf8');
const given = {};

before(async () => {
  given.home = mkdtempSync(join(tmpdir(), 'perdure-mcp-turn-'));
  writeFileSync(join(given.home, 'peer.py'), PEER);
  const port = await freePort();
  given.url = `http://127.0.0.1:${port}/mcp`;
  given.http = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, EVERYTHING, 'streamableHttp'],
    { stdio: 'ignore', env: { ...process.env, PORT: String(port) } });
  given.ended = new Promise((done) => given.http.once('close', done));
  for (let i = 0; i < 500 && !(await fetch(given.url).catch(() => null)); i++) await sleep(20);
  given.server = await Server.begin({ env: { SOME_API_KEY: 'sk-secret-0123456789abcdef' } });
});

after(async () => {
  await given.server?.remove();
  given.http.kill('SIGKILL');
  await given.ended;
  rmSync(given.home, { recursive: true });
});

async function open({ agent, sandbox, servers }) {
  const { server } = given;
  const environment = await server.ask('POST', '/v1/environments', { name: 'e', config: {
    type: 'local', working_directory: given.home, sandbox, mcp_servers: servers } });
  assert.equal(environment.status, 200, JSON.stringify(environment.body));
  const made = await server.ask('POST', '/v1/agents', { name: 'a', model: 'demo', ...agent });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const session = await server.ask('POST', '/v1/sessions',
    { agent: made.body.id, environment_id: environment.body.id });
  const { id } = session.body;
  return {
    say: (text) => server.ask('POST', `/v1/sessions/${id}/messages`, { text, mode: 'wait' }),
    log: async () => (await server.ask('GET', `/v1/sessions/${id}/events?limit=200`)).body.data,
  };
}

const stdio = (name, ...words) => ({ type: 'stdio', name, command: 'python3',
  args: [join(given.home, 'peer.py'), 'stdio', ...words] });
const toolset = (name) => ({ type: 'mcp_toolset', mcp_server_name: name, default_config: ALLOW });

/** The result of the last call, and the call. */
async function last(session) {
  const log = await session.log();
  const use = log.filter((event) => event.type === 'agent.mcp_tool_use').at(-1);
  const result = log.find((event) => event.mcp_tool_use_id === use?.id);
  return { use, result, text: result?.content?.map((block) => block.text).join(''), log };
}

test('T10b M10o M10p a turn calls the tool of a server over HTTP', { timeout: TEST_MS }, async () => {
  const session = await open({ agent: {
    mcp_servers: [{ type: 'url', name: 'all', url: given.url }], tools: [toolset('all')] } });
  await session.say('tool echo {"message":"hé"}');
  const { use, result, text } = await last(session);
  assert.deepEqual([use.name, use.mcp_server_name, result.is_error ?? false, text],
    ['echo', 'all', false, 'Echo: hé']);
});

for (const mode of ['off', 'workspace'])
  test(`T10a M2f M2n a turn calls the tool of a child (sandbox ${mode})`, { timeout: TEST_MS }, async () => {
    const session = await open({ agent: { tools: [toolset('child')] },
      sandbox: { mode, workspace_access: 'rw', network: 'off' }, servers: [stdio('child')] });
    await session.say('tool env {}');
    const { result, text, log } = await last(session);
    assert.ok(result, JSON.stringify(log));
    assert.ok(text?.startsWith('{'), JSON.stringify(log));
    const seen = JSON.parse(text);
    assert.equal(seen.cwd, given.home);
    assert.ok(!text.includes('sk-secret'), 'it sees our environment');
    assert.equal(seen.env.HOME === '/tmp', mode === 'workspace');
  });

test('T10 a server that is away is told about, and the turn goes on', { timeout: TEST_MS }, async () => {
  const session = await open({ agent: { tools: [toolset('away')],
    mcp_servers: [{ type: 'url', name: 'away', url: 'http://127.0.0.1:1/mcp' }] } });
  const { body } = await session.say('say hello');
  assert.equal(body.text, 'hello');
  const trouble = (await session.log()).find((event) => event.type === 'session.error');
  assert.equal(trouble?.error.type, 'mcp_connection_failed_error');
  assert.equal(trouble.error.mcp_server_name, 'away');
});

test('T10 what a session declares itself reaches no private address', { timeout: TEST_MS }, async () => {
  const { server } = given;
  const made = await server.ask('POST', '/v1/agents', { name: 'a', model: 'demo' });
  const session = await server.ask('POST', '/v1/sessions', { environment_id: 'local-default', agent: {
    type: 'agent_with_overrides', id: made.body.id, tools: [toolset('in')],
    mcp_servers: [{ type: 'url', name: 'in', url: given.url }] } });
  assert.equal(session.status, 200, JSON.stringify(session.body));
  await server.ask('POST', `/v1/sessions/${session.body.id}/messages`, { text: 'say hello', mode: 'wait' });
  const { body } = await server.ask('GET', `/v1/sessions/${session.body.id}/events?limit=200`);
  const trouble = body.data.find((event) => event.type === 'session.error');
  assert.equal(trouble?.error.type, 'mcp_connection_failed_error', JSON.stringify(body.data));
});

test('T10j children die with a server that is killed', { timeout: TEST_MS }, async () => {
  const session = await open({ agent: { tools: [toolset('orphan')] },
    sandbox: { mode: 'off', workspace_access: 'rw', network: 'on' }, servers: [stdio('orphan', 'stay')] });
  await session.say('tool echo {"text":"x"}');
  const mine = () => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && existsSync(`/proc/${pid}/cmdline`)
    && (() => { try { return readFileSync(`/proc/${pid}/cmdline`, 'utf8'); } catch { return ''; } })()
      .includes(`${given.home}/peer.py`));
  assert.ok(mine().length > 0);
  await given.server.kill();
  for (let i = 0; i < 300 && mine().length > 0; i++) await sleep(10);
  assert.deepEqual(mine(), []);
});
