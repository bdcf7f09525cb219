// suite - one server for the tests of a file, each with its own bound in time.
import Anthropic from '@anthropic-ai/sdk';
import { after, before, test } from 'node:test';
import { Server } from './server.js';

const TEST_MS = 20_000;

/** A test of a file that has one server: run({ server, client, beta }, t). */
export function suite() {
  const given = {};
  before(async () => {
    given.server = await Server.begin();
    given.client = sdk(given.server);
    given.beta = given.client.beta;
  });
  after(() => given.server?.remove());
  return (name, run, timeout = TEST_MS) => test(name, { timeout }, (t) => run(given, t));
}

/** The public SDK as its users make it, pointed here. */
export function sdk(server, options = {}) {
  return new Anthropic({ baseURL: server.url, apiKey: server.token, timeout: 10_000, ...options });
}

export function text(words) {
  return [{ type: 'text', text: words }];
}

export function say(words) {
  return { type: 'user.message', content: text(words) };
}

/** Passive: stored and shown, runs no turn. */
export function note(words) {
  return { type: 'system.message', content: text(words) };
}

export async function collect(pages) {
  const found = [];
  for await (const one of pages) found.push(one);
  return found;
}

/** A session whose log grows only by what the test appends. */
export function openSession(beta, more = {}) {
  return beta.sessions.create({ agent: 'main', environment_id: 'local-default', ...more });
}
