// tls - curl, Python's ssl and Node speak HTTPS and secure WebSockets with the server; SIGHUP renews.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from './harness/follow.js';
import { Server } from './harness/server.js';
import { Socket } from './harness/socket.js';

const run = promisify(execFile);
const TEST_MS = 20_000;
let files, server;

/** A server whose certificate only we know. */
class TlsServer extends Server {
  async answers() {
    this.url = `https://127.0.0.1:${this.port}`;
    return (await curl(this, '/readyz').catch(() => null))?.stdout === '200 0';
  }
}

/** A new certificate of that name in the files that the server reads. */
async function makeCertificate(name, days) {
  await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
    '-keyout', files.key, '-out', files.certificate, '-days', String(days), '-subj', `/CN=${name}`,
    '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'], { stdio: 'ignore' });
}

function curl({ port }, path, ...options) {
  return run('curl', ['--cacert', files.certificate, '-sS', '-o', '/dev/null', '-w', '%{http_code} %{ssl_verify_result}',
    ...options, `https://127.0.0.1:${port}${path}`]);
}

/** Python's view: version, cipher, ALPN, the certificate's name and a status line. */
async function python() {
  const script = `
import json, socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[1])
context.set_alpn_protocols(["h2", "http/1.1"])
with context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[2])), 5), server_hostname="localhost") as s:
    s.sendall(b"GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
    got = b""
    while chunk := s.recv(65536):
        got += chunk
    print(json.dumps({"version": s.version(), "alpn": s.selected_alpn_protocol(),
                      "name": s.getpeercert()["subject"][0][0][1], "status": got.split(b"\\r\\n")[0].decode()}))
`;
  const { stdout } = await run('python3', ['-c', script, files.certificate, String(server.port)]);
  return JSON.parse(stdout);
}

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-tls-'));
  files = { folder, certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), config: join(folder, 'config.yaml') };
  await makeCertificate('first', 5);
  writeFileSync(files.config, `tls:\n  certificate: ${files.certificate}\n  key: ${files.key}\n`);
  server = await TlsServer.begin({ args: ['--config', files.config] });
});
after(async () => {
  await server?.remove();
  rmSync(files.folder, { recursive: true });
});

test('TLS: curl trusts it and is answered', { timeout: TEST_MS }, async () => {
  assert.equal((await curl(server, '/v1/agents/main', '-H', `Authorization: Bearer ${server.token}`)).stdout, '200 0');
  assert.equal((await curl(server, '/v1/agents/main')).stdout, '401 0');
  assert.match(server.said(), new RegExp(`https://127\\.0\\.0\\.1:${server.port}\\n`));
});

test('TLS: one who does not know the certificate does not go on', { timeout: TEST_MS }, async () => {
  await assert.rejects(run('curl', ['-sS', `${server.url}/healthz`]), /certificate/);
});

test('TLS: a plain request on the port is told so', { timeout: TEST_MS }, async () => {
  const { stdout } = await run('curl', ['-sS', '-w', '%{http_code}', `http://127.0.0.1:${server.port}/healthz`]);
  assert.match(stdout, /400$/);
});

test('TLS: Python agrees on a version, HTTP/1.1 and the name', { timeout: TEST_MS }, async () => {
  const seen = await python();
  assert.equal(seen.version, 'TLSv1.3');
  assert.equal(seen.alpn, 'http/1.1');
  assert.equal(seen.status, 'HTTP/1.1 200 OK');
});

test('A16 a secure WebSocket carries requests and streams', { timeout: TEST_MS }, async () => {
  const socket = await Socket.open(server, { ca: readFileSync(files.certificate) });
  const made = await socket.ask('POST', '/v1/sessions', { body: { agent: 'main', environment_id: 'local-default' } });
  const seen = [];
  await socket.ask('GET', `/v1/sessions/${made.body.id}/events/stream?after=0`, { onEvent: ({ cursor }) => seen.push(cursor) });
  for (let i = 0; i < 20; i++)
    await socket.ask('POST', `/v1/sessions/${made.body.id}/events`,
      { body: { events: [{ type: 'system.message', content: [{ type: 'text', text: 'x'.repeat(50_000) }] }] } });
  await until(() => seen.length === 21, () => `${seen}`);
  assert.deepEqual(seen, Array.from({ length: 21 }, (_, i) => i + 1));
  await socket.close();
});

test('P3 over TLS our own origin is https', { timeout: TEST_MS }, async () => {
  const ask = (origin) => curl(server, '/v1/agents/main', '-H', `Authorization: Bearer ${server.token}`, '-H', `Origin: ${origin}`);
  assert.equal((await ask(server.url)).stdout, '200 0');
  assert.equal((await ask(server.url.replace('https', 'http'))).stdout, '403 0');
});

test('TLS: the log warns of a certificate that ends soon', { timeout: TEST_MS }, () => {
  assert.match(server.said(), /"level":"warn","event":"tls.certificate".*"reason":"expires soon/);
});

test('TLS: SIGHUP takes a renewed certificate, and keeps the old one when it is broken', { timeout: TEST_MS }, async () => {
  const open = await Socket.open(server, { ca: readFileSync(files.certificate) });
  assert.equal((await python()).name, 'first');
  await makeCertificate('second', 90);
  server.child.kill('SIGHUP');
  await until(async () => (await python().catch(() => null))?.name === 'second', () => server.said());
  assert.equal((await open.ask('GET', '/healthz')).status, 200, 'open connections go on');
  const good = readFileSync(files.certificate);
  writeFileSync(files.certificate, 'not a certificate');
  server.child.kill('SIGHUP');
  await until(() => /serve.reload_refused.*not PEM/.test(server.said()), () => server.said());
  writeFileSync(files.certificate, good);
  assert.equal((await python()).name, 'second');
  await open.close();
});
