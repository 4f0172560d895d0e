import { request, type RequestOptions } from 'node:https';
import { request as plainRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect } from 'node:tls';
import type { Certificate } from '../../lib/kernel/certificates/certificate-authority.ts';

/** Where a request goes. */
export interface RequestedServer {
  /** https. */
  readonly address: string;
  /** The certificates to trust, PEM. */
  readonly authority: string;
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: unknown;
  readonly protocol?: 'h2' | 'plain' | undefined;
  readonly certificate?: Certificate | undefined;
  readonly text?: string | undefined;
}

/** Status 0: the connection or stream ended without an answer. */
export interface AttackAnswer {
  readonly status: number;
  readonly text: string;
}

const NO_ANSWER: AttackAnswer = { status: 0, text: '' };

/** Sends a request as it is written, over a connection of its own. */
export async function requestOver(
  server: RequestedServer,
  sent: SentRequest,
): Promise<AttackAnswer> {
  if (sent.text !== undefined) return await sendText(server, sent, sent.text);
  return sent.protocol === 'h2' ? await sendHttp2(server, sent) : await sendHttp1(server, sent);
}

function bodyOf({ body }: SentRequest): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body);
}

async function sendHttp1(server: RequestedServer, sent: SentRequest): Promise<AttackAnswer> {
  const { host, hostname, port } = new URL(server.address);
  const { method, path, headers, certificate } = sent;
  const has = (name: string): boolean => headers.some(([one]) => one.toLowerCase() === name);
  const all = [...headers];
  if (!has('host')) all.push(['Host', host]);
  const text = bodyOf(sent);
  if (text !== undefined) all.push(['Content-Length', String(Buffer.byteLength(text))]);
  if (text !== undefined && !has('content-type')) all.push(['Content-Type', 'application/json']);
  const { certificate: cert, privateKey: key } = certificate ?? {};
  // Headers as written: names may be repeated.
  const common = { hostname, port, path, method, headers: all.flat(), agent: false } as const;
  const options: RequestOptions = {
    ...common,
    ca: server.authority,
    cert,
    key,
    // Otherwise this end refuses to show a certificate with a weak signature.
    ciphers: 'DEFAULT@SECLEVEL=0',
  };
  return await answerOf(sent.protocol === 'plain' ? plainRequest(common) : request(options), text);
}

async function answerOf(call: ClientRequest, text: string | undefined): Promise<AttackAnswer> {
  return await new Promise((resolve, reject) => {
    call.on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      });
    });
    call.on('error', reject);
    call.end(text);
  });
}

async function sendText(
  server: RequestedServer,
  { method, path, headers, certificate }: SentRequest,
  rest: string,
): Promise<AttackAnswer> {
  const { host, hostname, port } = new URL(server.address);
  const { certificate: cert, privateKey: key } = certificate ?? {};
  const own = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const [head = ''] = rest.split('\r\n\r\n', 1);
  const hosted = /^host:/im.test(head) ? '' : `Host: ${host}\r\n`;
  const bytes = Buffer.from(`${method} ${path} HTTP/1.1\r\n${hosted}${own}${rest}`, 'latin1');
  return await new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), ca: server.authority, cert, key });
    let text = '';
    socket.on('secureConnect', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    // A server that refuses the rest of a request may reset the connection.
    socket.on('error', () => {});
    socket.on('close', () => {
      const [head = '', ...bodies] = text.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1] ?? 0), text: bodies.join('\r\n\r\n') });
    });
  });
}

async function sendHttp2(server: RequestedServer, sent: SentRequest): Promise<AttackAnswer> {
  const { certificate: cert, privateKey: key } = sent.certificate ?? {};
  const session = connectHttp2(server.address, {
    ca: server.authority,
    cert,
    key,
    maxSendHeaderBlockLength: 4 * 1024 * 1024,
  });
  try {
    return await answerOver(session, sent);
  } finally {
    session.destroy();
  }
}

async function answerOver(session: ClientHttp2Session, sent: SentRequest): Promise<AttackAnswer> {
  const pairs = sent.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers = { ':method': sent.method, ':path': sent.path, ...Object.fromEntries(pairs) };
  return await new Promise((resolve) => {
    const end = (answer: AttackAnswer): void => {
      resolve(answer);
    };
    session.on('error', () => {
      end(NO_ANSWER);
    });
    const stream = session.request(headers, { endStream: sent.body === undefined });
    let [status, text] = [0, ''];
    stream.on('response', ({ ':status': found = 0 }) => {
      status = found;
    });
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    stream.on('error', () => {
      end(NO_ANSWER);
    });
    stream.on('close', () => {
      end({ status, text });
    });
    if (sent.body !== undefined) stream.end(bodyOf(sent));
  });
}
