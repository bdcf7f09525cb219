// proxy - stands between a client and the server, and can cut every connection that is open.
import { connect, createServer } from 'node:net';

export class Proxy {
  static async begin(server) {
    const proxy = new this();
    proxy.open = new Set();
    proxy.listener = createServer((client) => proxy.join(client, connect(server.port, '127.0.0.1')));
    await new Promise((done) => proxy.listener.listen(0, '127.0.0.1', done));
    proxy.url = `http://127.0.0.1:${proxy.listener.address().port}`;
    return proxy;
  }

  join(...ends) {
    for (const [i, end] of ends.entries()) {
      this.open.add(end);
      end.pipe(ends[1 - i]);
      end.on('error', () => {});
      end.on('close', () => {
        this.open.delete(end);
        ends[1 - i].destroy();
      });
    }
  }

  cut() {
    const count = this.open.size;
    for (const end of this.open) end.destroy();
    return count;
  }

  remove() {
    this.cut();
    return new Promise((done) => this.listener.close(done));
  }
}
