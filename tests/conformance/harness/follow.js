// follow - readers of a stream that come back by themselves, and a writer that never gives up a message.
import { EventSource } from 'eventsource';
import { createEventSource } from 'eventsource-client';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const EVENTS_PAGE = new URL('../../../docs/EVENTS.md', import.meta.url);
// EventSource hears only the names that it was told.
const KINDS = [...readFileSync(EVENTS_PAGE, 'utf8').matchAll(/^\| `([a-z]+\.[a-z_]+)` \|/gm)].map((row) => row[1]);

/** The npm package `eventsource`: the browser's class, with a token through its fetch option. */
export function withEventSource(server, path) {
  const seen = [];
  const reader = new EventSource(server.url + path, {
    fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${server.token}` } }),
  });
  for (const kind of [...KINDS, 'gap', 'reset'])
    reader.addEventListener(kind, (event) => seen.push({ cursor: Number(event.lastEventId), ...JSON.parse(event.data), kind }));
  return { name: 'eventsource', seen, close: () => reader.close(), isClosed: () => reader.readyState === 2 };
}

/** The npm package `eventsource-client`. */
export function withEventSourceClient(server, path) {
  const seen = [];
  const reader = createEventSource({
    url: server.url + path,
    headers: { authorization: `Bearer ${server.token}` },
    onMessage: (event) => seen.push({ cursor: Number(event.id), ...JSON.parse(event.data), kind: event.event }),
  });
  return { name: 'eventsource-client', seen, close: () => reader.close(), isClosed: () => reader.readyState === 'closed' };
}

/** Frames of one connection: { id, event, data, retry, comment }, an entry each. */
export async function* frames(server, path, { headers = {}, signal } = {}) {
  const answer = await fetch(server.url + path,
    { signal, headers: { authorization: `Bearer ${server.token}`, ...headers } });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  let rest = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop();
    for (const block of blocks) yield parseBlock(block);
  }
}

function parseBlock(block) {
  const frame = {};
  for (const line of block.split('\n')) {
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    frame[name === '' ? 'comment' : name] = value;
  }
  return frame;
}

/** By hand: keeps the last id and says it in Last-Event-ID, over and over until closed. */
export function byHand(server, path) {
  const seen = [];
  const end = new AbortController();
  let last;
  (async () => {
    while (!end.signal.aborted) {
      try {
        const headers = last === undefined ? {} : { 'last-event-id': last };
        for await (const frame of frames(server, path, { headers, signal: end.signal })) {
          if (frame.id === undefined) continue;
          last = frame.id;
          seen.push({ cursor: Number(frame.id), ...JSON.parse(frame.data), kind: frame.event });
        }
      } catch { /* it is down, or we are done */ }
      await sleep(20);
    }
  })();
  return { name: 'Last-Event-ID by hand', seen, close: () => end.abort(), isClosed: () => false };
}

const AGAIN = new Set([429, 503]); // its queue is full, it is starting: nothing was stored

/** Sends make(n) for n = 0, 1, … until stopped; one that got no answer is repeated under its key. */
export function writer(server, path, make, name = 'write') {
  let going = true;
  let acknowledged = 0;
  let failure = null;
  const done = (async () => {
    for (let n = 0; going; n++) {
      const headers = { 'idempotency-key': `${name}-${n}` };
      const send = () => server.ask('POST', path, make(n), headers).catch(() => null);
      let answer = await send();
      for (; answer === null || AGAIN.has(answer.status); answer = await send()) await sleep(10);
      if (answer.status !== 200) throw new Error(`write ${n}: ${answer.status} ${JSON.stringify(answer.body)}`);
      acknowledged++;
    }
  })().catch((error) => { failure = error; });
  return {
    count: () => acknowledged,
    async stop() {
      going = false;
      await done;
      if (failure) throw failure;
    },
  };
}

/** Waits until ok() holds; what() is said when it does not in time. */
export async function until(ok, what, ms = 15_000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20))
    if (await ok()) return;
  throw new Error(`not after ${ms} ms: ${what()}`);
}
