// driver - the client under test as a process that obeys one line at a time.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
/** Beside the program under test, wherever that was built. */
export const PROGRAM = process.env.PERDURE_PROGRAM ?? join(HERE, '../../build/release/src/app/perdure');
const DRIVER = join(dirname(PROGRAM), '../../tests/mcp/mcp_driver');

export class Driver {
  /** target: a URL, or the words of a command. */
  static begin(target, options = [], spawnOptions = {}) {
    const driver = new Driver();
    const words = Array.isArray(target) ? ['--', ...target] : [target];
    driver.child = spawn('setpriv', ['--pdeathsig', 'KILL', DRIVER, ...options, ...words],
      { stdio: ['pipe', 'pipe', 'inherit'], ...spawnOptions });
    driver.ended = new Promise((done) => driver.child.once('close', (code) => done(code)));
    driver.lines = createInterface({ input: driver.child.stdout })[Symbol.asyncIterator]();
    return driver;
  }

  say(...words) {
    this.child.stdin.write(`${words.join('\t')}\n`);
  }

  async hear() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error('the driver ended');
    return JSON.parse(value);
  }

  ask(...words) {
    this.say(...words);
    return this.hear();
  }

  list() {
    return this.ask('list');
  }

  start(key, name, args = {}, timeoutMs = '') {
    this.say('call', key, name, JSON.stringify(args), timeoutMs);
  }

  async call(name, args = {}, timeoutMs = '') {
    this.start('k', name, args, timeoutMs);
    return this.ask('await', 'k');
  }

  /** Lets it leave in good order; its exit code. */
  async leave() {
    this.child.stdin.end();
    return this.ended;
  }
}
