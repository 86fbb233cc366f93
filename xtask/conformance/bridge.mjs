// @ts-check
// An HTTP server in front of `forebay wrap --url`, which is a server on stdio: the conformance suite speaks HTTP only.
//
// node bridge.mjs FOREBAY URL. Each session has a wrapper of its own, and so has each request without a session. Messages
// pass as they are; what HTTP itself wants (statuses, sessions, streams) is answered here.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [forebay, url] = process.argv.slice(2);
/** Errors of the protocol that are HTTP errors as well. */
const STATUSES = { '-32700': 400, '-32600': 400, '-32601': 404, '-32020': 400, '-32021': 400, '-32022': 400 };
/** @type {Map<string, Wrapper>} */
const sessions = new Map();
let last = 0;

/** A wrapper, and who waits for what it says. */
class Wrapper {
  constructor() {
    this.child = spawn(forebay, ['wrap', '--name', 'suite', '--url', url], { stdio: ['pipe', 'pipe', 'inherit'] });
    /** @type {Map<string, (message: any, line: string) => void>} */
    this.waiting = new Map();
    /** @type {((line: string) => void)[]} */
    this.streams = [];
    /** @type {import('node:http').ServerResponse | undefined} */
    this.unasked = undefined;
    /** @type {string[]} */
    this.kept = [];
    // A wrapper that has ended reads no more.
    this.child.stdin.on('error', () => {});
    createInterface({ input: this.child.stdout }).on('line', (line) => this.take(line));
  }

  /** @param {string} line */
  take(line) {
    const message = JSON.parse(line);
    const answered = message.method === undefined && this.waiting.get(JSON.stringify(message.id));
    if (answered) return answered(message, line);
    // What a server says during a request belongs to it; the wrapper does not tell to which of several.
    const stream = this.streams.at(-1);
    if (stream) return stream(line);
    if (this.unasked) return event(this.unasked, line);
    this.kept.push(line);
  }

  /** @param {string} line */
  send(line) {
    this.child.stdin.write(`${line}\n`);
  }

  end() {
    this.child.stdin.end();
    this.child.stdout.destroy();
  }
}

/** @param {import('node:http').ServerResponse} response @param {string} line */
function event(response, line) {
  if (!response.writableEnded) response.write(`data: ${line}\n\n`);
}

/** @param {import('node:http').ServerResponse} response @param {number} status @param {string} body @param {Record<string, string>} headers */
function reply(response, status, body = '', headers = {}) {
  const type = body ? { 'content-type': 'application/json' } : {};
  response.writeHead(status, { ...type, ...headers }).end(body);
}

/** Sends a request to a wrapper, and streams what comes until it is answered. @param {Wrapper} wrapper @param {any} message @param {string} line @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response @param {Record<string, string>} headers @param {boolean} isAlone */
function exchange(wrapper, message, line, request, response, headers, isAlone) {
  const key = JSON.stringify(message.id);
  const stream = (/** @type {string} */ said) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    event(response, said);
  };
  const finish = () => {
    wrapper.waiting.delete(key);
    wrapper.streams = wrapper.streams.filter((one) => one !== stream);
    if (isAlone) wrapper.end();
  };
  wrapper.streams.push(stream);
  wrapper.waiting.set(key, (answer, said) => {
    finish();
    const status = isAlone && answer.error ? (STATUSES[`${answer.error.code}`] ?? 200) : 200;
    if (!response.headersSent) return reply(response, status, said, headers);
    event(response, said);
    response.end();
  });
  response.on('close', () => {
    if (wrapper.waiting.has(key) && isAlone) finish();
  });
  wrapper.send(line);
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response @param {string} body */
function post(request, response, body) {
  const message = JSON.parse(body);
  const line = JSON.stringify(message);
  const named = request.headers['mcp-session-id'];
  if (message.method === 'initialize') {
    const session = `bridge-${(last += 1)}`;
    const wrapper = new Wrapper();
    sessions.set(session, wrapper);
    return exchange(wrapper, message, line, request, response, { 'mcp-session-id': session }, false);
  }
  const wrapper = typeof named === 'string' ? sessions.get(named) : undefined;
  if (named && !wrapper) return reply(response, 404);
  const isRequest = message.method !== undefined && message.id !== undefined;
  if (!isRequest) {
    wrapper?.send(line);
    return reply(response, 202);
  }
  exchange(wrapper ?? new Wrapper(), message, line, request, response, {}, !wrapper);
}

const server = createServer((request, response) => {
  const wrapper = sessions.get(`${request.headers['mcp-session-id']}`);
  if (request.method === 'GET') {
    if (!wrapper) return reply(response, 405);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    wrapper.kept.splice(0).forEach((line) => event(response, line));
    wrapper.unasked = response;
    response.on('close', () => {
      if (wrapper.unasked === response) wrapper.unasked = undefined;
    });
    return;
  }
  if (request.method === 'DELETE') {
    wrapper?.end();
    sessions.delete(`${request.headers['mcp-session-id']}`);
    return reply(response, wrapper ? 200 : 404);
  }
  let body = '';
  request.on('data', (piece) => (body += piece));
  request.on('end', () => {
    try {
      post(request, response, body);
    } catch (error) {
      reply(response, 400, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32700, message: `${error}` } }));
    }
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
});
