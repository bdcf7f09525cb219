// aimock - turns through each dialect against a public stand-in for the providers.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DIALECTS, KEY, Mock, open, serve, until } from './harness.js';

const TEST_MS = 60_000;
const LOOK = {
  type: 'custom', name: 'look', description: 'Looks.',
  input_schema: { type: 'object', properties: { at: { type: 'string' } } },
};
const given = {};

before(async () => {
  given.mock = await Mock.begin([
    { match: { userMessage: 'greet' }, response: { content: 'Grüße, 日本 🙂 and a good long day to you.' },
      chunkSize: 3 },
    { match: { userMessage: 'ponder' }, response: { content: 'Done.', reasoning: 'Let me think.' } },
    { match: { userMessage: 'use tools', hasToolResult: false }, response: {
      content: 'Looking.',
      toolCalls: [{ name: 'look', arguments: { at: 'left' } }, { name: 'look', arguments: { at: 'right' } }],
    } },
    { match: { userMessage: 'use tools', hasToolResult: true }, response: { content: 'Seen.' } },
    { match: { userMessage: 'count' }, response: { content: 'x', usage: { input_tokens: 11, output_tokens: 5,
      prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 } } },
    { match: { userMessage: 'overload' },
      response: { error: { message: 'Overloaded', type: 'overloaded_error' }, status: 529 } },
    { match: { userMessage: 'wrong' },
      response: { error: { message: `bad key ${KEY}`, type: 'authentication_error' }, status: 401 } },
    { match: { userMessage: 'silent' }, response: { content: 'never' }, latency: 30_000 },
    // How often a fixture was used counts for all dialects: each has its own.
    ...Object.keys(DIALECTS).flatMap((name) => [
      { match: { userMessage: `limit ${name}`, sequenceIndex: 0 },
        response: { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 0 } },
      { match: { userMessage: `limit ${name}` }, response: { content: 'At last.' } },
      { match: { userMessage: `cut ${name}`, sequenceIndex: 0 },
        response: { content: 'a long answer that is cut off' }, chunkSize: 4, truncateAfterChunks: 3 },
      { match: { userMessage: `cut ${name}` }, response: { content: 'whole' } },
    ]),
  ]);
  given.server = await serve(given.mock);
});

after(async () => {
  await given.server?.remove();
  await given.mock?.remove();
});

/** ids: of what it proves in every dialect, or { provider: ids }. */
function forEach(ids, name, run) {
  for (const [provider, dialect] of Object.entries(DIALECTS))
    test(`${ids[provider] ?? ids} ${name} (${dialect.kind})`, { timeout: TEST_MS }, () =>
      run({ ...given, provider, dialect, model: `${provider}/model-1` }));
}

const types = (log) => log.map((event) => event.type);
const ends = (log) => types(log).filter((type) => type === 'session.status_idle').length;

forEach({ chat: 'T3a M1e M1f', responses: 'T3e M1e M1f', claude: 'T3i M1e M1f' }, 'a turn, streamed by a public stand-in', async ({ server, mock, model, dialect, provider }) => {
  const session = await open(server, model, { system: 'Be kind.' });
  const { body } = await session.say(`greet ${provider}`);
  assert.equal(body.text, 'Grüße, 日本 🙂 and a good long day to you.');
  assert.equal(body.stop_reason.type, 'end_turn');
  const [seen, ...more] = await mock.saw(`greet ${provider}`);
  assert.equal(more.length, 0);
  assert.equal(seen.path, dialect.path);
  assert.equal(seen.body.model, 'model-1');
  assert.match(JSON.stringify(seen.body), /Be kind\./);
});

forEach({ chat: 'T3d M10k', responses: 'T3h M10k', claude: 'T3l M10k' }, 'reasoning is kept', async ({ server, model }) => {
  const session = await open(server, model);
  const { body } = await session.say('ponder');
  assert.equal(body.text, 'Done.');
  const thought = (await session.log()).find((event) => event.type === 'agent.thinking');
  assert.ok(thought);
});

forEach({ chat: 'T3b M8b', responses: 'T3f M8b', claude: 'T3j M8b' }, 'parallel calls, their results, and the answer', async ({ server, model }) => {
  const session = await open(server, model, { tools: [LOOK] });
  const { body } = await session.say('use tools');
  assert.equal(body.stop_reason.type, 'requires_action');
  const calls = (await session.log()).filter((event) => event.type === 'agent.custom_tool_use');
  assert.deepEqual(calls.map((call) => call.input.at), ['left', 'right']);
  await session.send(calls.map((call) => ({ type: 'user.custom_tool_result', custom_tool_use_id: call.id,
    content: [{ type: 'text', text: `saw ${call.input.at}` }] })));
  const log = await until(async () => {
    const now = await session.log();
    return now.at(-1).stop_reason?.type === 'end_turn' && now;
  }, 'the turn did not end');
  assert.equal(log.filter((event) => event.type === 'agent.message').at(-1).content[0].text, 'Seen.');
});

forEach({ chat: 'M11r M11s M11w M11z', responses: 'M11r M11z', claude: 'M11r M11z' },
  'an image of the message reaches the model', async ({ server, mock, model, provider }) => {
  const session = await open(server, model);
  const { status } = await session.say(`count ${provider} pixels`,
    { attachments: [{ data: 'aW1hZ2U=', mime_type: 'image/png', name: 'a.png' }, { path: '/notes.txt' }] });
  assert.equal(status, 200);
  const [seen] = await mock.saw(`count ${provider} pixels`);
  assert.match(JSON.stringify(seen.body), /\[attachment: \/notes\.txt\]/);
  if (provider === 'chat') // of the other dialects the mock notes the text alone
    assert.match(JSON.stringify(seen.body), /data:image\/png;base64,aW1hZ2U=/);
  const said = (await session.log()).find((event) => event.type === 'user.message');
  assert.equal(said.content[1].type, 'image');
});

forEach('T15a', 'a turn has its usage and its price', async ({ server, model }) => {
  const session = await open(server, model);
  const { body } = await session.say('count');
  assert.equal(body.usage.input_tokens, 11);
  assert.equal(body.usage.output_tokens, 5);
  const end = (await session.log()).find((event) => event.type === 'span.model_request_end');
  assert.equal(end.model_usage.cost_picodollars, (11 + 2 * 5) * 1_000_000);
});

forEach('T6', 'a rate limit is waited out', async ({ server, mock, model, provider }) => {
  const session = await open(server, model);
  const { body } = await session.say(`limit ${provider}`);
  assert.equal(body.text, 'At last.');
  assert.equal((await mock.saw(`limit ${provider}`)).length, 2);
  assert.equal(ends(await session.log()), 1);
});

forEach('T6d T6f M10ad', 'endless overload ends the turn once', async ({ server, mock, model, provider }) => {
  const session = await open(server, model);
  await session.say(`overload ${provider}`);
  const log = await session.log();
  assert.equal(log.find((event) => event.type === 'session.error').error.type, 'model_overloaded_error');
  assert.equal(ends(log), 1);
  assert.equal((await mock.saw(`overload ${provider}`)).length, 4);
});

forEach('T6k', 'a refused key is tried once and never shown', async ({ server, mock, model, provider }) => {
  const session = await open(server, model);
  await session.say(`wrong ${provider}`);
  const log = await session.log();
  assert.equal(log.find((event) => event.type === 'session.error').error.type, 'model_request_failed_error');
  assert.equal((await mock.saw(`wrong ${provider}`)).length, 1);
  assert.ok(!JSON.stringify(log).includes(KEY));
  assert.ok(!server.said().includes(KEY));
});

forEach('T6a T6l', 'a stream that is cut is asked for again', async ({ server, mock, model, provider }) => {
  const session = await open(server, model);
  const { body } = await session.say(`cut ${provider}`);
  assert.equal(body.text, 'whole');
  assert.equal((await mock.saw(`cut ${provider}`)).length, 2);
  assert.equal(ends(await session.log()), 1);
});

forEach('T6o', 'silence ends the turn once', async ({ server, model }) => {
  const session = await open(server, model);
  await session.say('silent');
  const log = await session.log();
  assert.match(log.find((event) => event.type === 'session.error').error.message, /127\.0\.0\.1/);
  assert.equal(ends(log), 1);
});

test('T3r an unknown model is an error that names the known ones', { timeout: TEST_MS }, async () => {
  const session = await open(given.server, 'nobody/model-1');
  await session.say('hi').catch(() => null);
  const log = await session.log();
  assert.match(log.find((event) => event.type === 'session.error').error.message,
    /known: demo, claude\/MODEL, chat\/MODEL, responses\/MODEL/);
});

forEach('T6l T6m', 'chaos: every turn ends once, with an answer or an error', async ({ model }) => {
  const mock = await Mock.begin([{ match: { userMessage: 'go' }, response: { content: 'an answer in pieces' },
    chunkSize: 4 }], ['--chaos-drop', '0.2', '--chaos-malformed', '0.15', '--chaos-disconnect', '0.2',
    '--chaos-ratelimit', '0.2']);
  const server = await serve(mock);
  try {
    const turns = await Promise.all(Array.from({ length: 20 }, async () => {
      const session = await open(server, model);
      await session.say('go', { timeout_ms: 50_000 });
      return session.log();
    }));
    for (const log of turns) {
      assert.equal(ends(log), 1);
      const answered = types(log).includes('agent.message');
      assert.equal(types(log).includes('session.error'), !answered);
    }
    assert.ok(turns.some((log) => types(log).includes('agent.message')));
  } finally {
    await server.remove();
    await mock.remove();
  }
});
