// server - starts the program on a free port with a data directory of its own, kills it, starts it again.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const PROGRAM = process.env.PERDURE_PROGRAM ?? join(ROOT, 'build/perdure');
const READY_MS = 20_000;
const running = new Set();

process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export function freePort() {
  return new Promise((done, fail) => {
    const probe = createServer().once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

export class Server {
  /**
   * A server that answers, on a data directory that was empty; with the text of a configuration, or none;
   * args: further ones of its command line.
   */
  static async begin({ config = null, env = {}, args = [] } = {}) {
    const server = new this();
    server.env = env;
    server.args = args;
    server.home = mkdtempSync(join(tmpdir(), 'perdure-conformance-'));
    server.data = join(server.home, 'data');
    server.port = await freePort();
    server.options = config === null ? [] : ['--config', join(server.home, 'config.yaml')];
    if (config !== null) writeFileSync(server.options[1], config);
    server.url = `http://127.0.0.1:${server.port}`;
    try {
      await server.start();
    } catch (error) {
      await server.remove();
      throw error;
    }
    return server;
  }

  async start() {
    const log = createWriteStream(join(this.home, 'server.log'), { flags: 'a' });
    // The kernel ends the server with this process, however this process ends.
    this.child = spawn('setpriv', ['--pdeathsig', 'KILL', PROGRAM, 'serve', '--data', this.data,
      '--listen', `127.0.0.1:${this.port}`, ...this.options, ...this.args],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...this.env } });
    running.add(this.child);
    this.child.stdout.pipe(log, { end: false });
    this.child.stderr.pipe(log, { end: false });
    this.ended = new Promise((done) => this.child.once('close', () => {
      running.delete(this.child);
      log.end(done);
    }));
    await this.ready();
    this.token = readFileSync(join(this.data, 'owner.token'), 'utf8').trim();
  }

  async ready() {
    for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(10)) {
      if (this.child.exitCode !== null) throw new Error(`the server ended: ${this.said()}`);
      if (await this.answers()) return;
    }
    throw new Error(`not ready after ${READY_MS} ms: ${this.said()}`);
  }

  async answers() {
    const answer = await fetch(`${this.url}/readyz`).catch(() => null);
    return answer?.ok;
  }

  said() {
    return readFileSync(join(this.home, 'server.log'), 'utf8').slice(-2000);
  }

  /** As the power would: nothing is flushed, nobody is told. */
  async kill() {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  async restart() {
    await this.kill();
    await this.start();
  }

  async remove() {
    await this.kill();
    rmSync(this.home, { recursive: true });
  }

  /** One request with the owner's token; the answer with its body read as JSON. */
  async ask(method, path, body, headers = {}) {
    const answer = await fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  }
}
