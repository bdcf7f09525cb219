// socket - the API over a WebSocket, with the npm package `ws` or whatever speaks like a browser.
import { setTimeout as sleep } from 'node:timers/promises';
import Ws from 'ws';

export class Socket {
  /** Opened with the token in a header; resolves when it is. */
  static async open(server, options = {}) {
    const headers = { authorization: `Bearer ${server.token}` };
    return Socket.over(new Ws(`${server.url.replace(/^http/, 'ws')}/v1/ws`, { headers, ...options }));
  }

  static async over(ws) {
    const socket = new Socket();
    socket.ws = ws;
    socket.next = 1;
    socket.waiting = new Map();
    socket.closed = new Promise((done) => ws.addEventListener('close', (event) => {
      socket.waiting.forEach(({ fail }) => fail(new Error(`closed with ${event.code}`)));
      done(event);
    }));
    ws.addEventListener('message', (event) => socket.take(JSON.parse(event.data)));
    await new Promise((done, fail) => {
      ws.addEventListener('open', done);
      ws.addEventListener('error', (event) => fail(event.error ?? new Error('not opened')));
    });
    return socket;
  }

  take(message) {
    const call = this.waiting.get(message.id);
    if (message.type === 'event') return call.onEvent(message);
    if (message.type !== 'subscribed') this.waiting.delete(message.id);
    if (message.type === 'unsubscribed') return call.ended(message.reason);
    return call.done(message);
  }

  /** { status, headers, body }; of a stream { type: 'subscribed' }, and ended says why it ends. */
  ask(method, path, { body, key, onEvent } = {}) {
    const id = this.next++;
    let ended;
    const end = new Promise((done) => { ended = done; });
    const answer = new Promise((done, fail) => this.waiting.set(id, { done, fail, onEvent, ended }));
    this.ws.send(JSON.stringify({ id, method, path, body, idempotency_key: key }));
    return answer.then((message) => ({ ...message, ended: end }));
  }

  unsubscribe(id) {
    this.ws.send(JSON.stringify({ id, type: 'unsubscribe' }));
  }

  close() {
    this.ws.close();
    return this.closed;
  }
}

/** A reader like those of harness/follow: comes back with its cursor until closed. */
export function withWebSocket(server, path) {
  const seen = [];
  const [route, query] = path.split('?');
  let cursor = new URLSearchParams(query).get('after');
  let open = true;
  let socket = null;
  (async () => {
    while (open) {
      try {
        socket = await Socket.open(server);
        await socket.ask('GET', cursor === null ? route : `${route}?after=${cursor}`, {
          onEvent: (message) => {
            if (message.cursor !== undefined) cursor = message.cursor;
            seen.push({ cursor: message.cursor, ...message.event, kind: message.event.type });
          },
        });
        await socket.closed;
      } catch { /* it is down, or starting */ }
      await sleep(20);
    }
  })();
  return { name: 'ws', seen, close: () => { open = false; socket?.close(); }, isClosed: () => false };
}
