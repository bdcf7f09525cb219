// sdk_server - a small server made of the public SDK of 2026-07-28, over stdio or HTTP.
//   sdk_server.js stdio          sdk_server.js http PORT LOGFILE
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [mode, port, log] = process.argv.slice(2);
const grown = [];
let handler;

const tool = (name) => ({ name, description: `does ${name}`, inputSchema: { type: 'object' } });

async function wait(ms, signal) {
  await new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', () => { clearTimeout(timer); done(); });
  });
}

function make() {
  const server = new Server({ name: 'sdk', version: '2' }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler('tools/list', () => ({ tools: ['echo', 'grow', 'slow', ...grown].map(tool) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }, ctx) => {
    if (name === 'grow') {
      grown.push(`grown${grown.length}`);
      if (mode === 'http') handler.notify.toolsChanged();
      else await server.sendToolListChanged();
    } else if (name === 'slow') {
      await wait(given.ms, ctx.mcpReq.signal);
      if (ctx.mcpReq.signal.aborted && log) appendFileSync(log, 'aborted\n');
    }
    return { content: [{ type: 'text', text: name === 'echo' ? given.text : 'done' }] };
  });
  return server;
}

if (mode === 'stdio') {
  serveStdio(make, { legacy: 'reject' });
} else {
  handler = createMcpHandler(make, { legacy: 'reject' });
  createServer(toNodeHandler(handler)).listen(Number(port), '127.0.0.1');
}
