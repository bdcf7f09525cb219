// harness - a public model stand-in on a port of its own, and a server that is configured to use it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, Server } from '../conformance/harness/server.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const READY_MS = 20_000;
export const KEY = 'sk-test-0123456789abcdef0123';
/** Each dialect by the name its provider has here. */
export const DIALECTS = {
  claude: { kind: 'anthropic', base: '', path: '/v1/messages' },
  chat: { kind: 'openai-chat', base: '/v1', path: '/v1/chat/completions' },
  responses: { kind: 'openai-responses', base: '/v1', path: '/v1/responses' },
};

export class Mock {
  static async begin(fixtures, flags = []) {
    const mock = new Mock();
    mock.home = mkdtempSync(join(tmpdir(), 'perdure-providers-'));
    mock.port = await freePort();
    mock.url = `http://127.0.0.1:${mock.port}`;
    writeFileSync(join(mock.home, 'fixtures.json'), JSON.stringify({ fixtures }));
    mock.child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath,
      join(HERE, 'node_modules/@copilotkit/aimock/dist/cli.js'), '-p', String(mock.port),
      '-f', join(mock.home, 'fixtures.json'), '--strict', '--log-level', 'silent', ...flags],
    { stdio: 'ignore' });
    mock.ended = new Promise((done) => mock.child.once('close', done));
    for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(20))
      if ((await fetch(`${mock.url}/health`).catch(() => null))?.ok) return mock;
    await mock.remove();
    throw new Error('the mock did not start');
  }

  async remove() {
    this.child.kill('SIGKILL');
    await this.ended;
    rmSync(this.home, { recursive: true });
  }

  /** The requests it saw that have these words in them. */
  async saw(words) {
    const journal = await (await fetch(`${this.url}/__aimock/journal`)).json();
    return journal.filter((one) => JSON.stringify(one.body).includes(words));
  }
}

export function serve(mock) {
  const providers = Object.entries(DIALECTS).map(([name, { kind, base }]) =>
    `  - {name: ${name}, kind: ${kind}, base_url: '${mock.url}${base}', api_key_env: MOCK_KEY, `
    + 'idle_timeout_ms: 2 s, retry: {attempts: 4, base_ms: 5 ms, max_ms: 50 ms}, '
    + 'prices: {input: 1, output: 2}}\n').join('');
  return Server.begin({ config: `providers:\n${providers}`, env: { MOCK_KEY: KEY } });
}

/** A session of a new agent with that model. */
export async function open(server, model, more = {}) {
  const agent = await server.ask('POST', '/v1/agents', { name: 'a', model, ...more });
  const session = await server.ask('POST', '/v1/sessions',
    { agent: agent.body.id, environment_id: 'local-default' });
  const { id } = session.body;
  return {
    id,
    say: (text, rest = {}) =>
      server.ask('POST', `/v1/sessions/${id}/messages`, { text, mode: 'wait', ...rest }),
    send: (events) => server.ask('POST', `/v1/sessions/${id}/events`, { events }),
    log: async () => (await server.ask('GET', `/v1/sessions/${id}/events?limit=200`)).body.data,
  };
}

export async function until(what, complaint) {
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(20)) {
    const found = await what();
    if (found) return found;
  }
  throw new Error(complaint);
}
