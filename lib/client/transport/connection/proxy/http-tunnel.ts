import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProxyAddress } from '../../contract/proxy-address.ts';
import { authority } from './authority.ts';
import type { DialTarget } from './dialer.ts';
import {
  forbidden,
  notProxy,
  otherProtocol,
  ProxyProblem,
  unauthenticated,
  unreachable,
} from './proxy-problem.ts';
import { readAnswer, type ParsedAnswer } from './read-answer.ts';

/** The most bytes of an answer to CONNECT, without the body that follows a refusal. */
const LONGEST_HEAD = 16 * 1024;

/** The most authentication schemes that a message names. */
const MOST_SCHEMES = 5;

const HTTP = 'HTTP/1.';
const BLANK_LINE = /\r?\n\r?\n/;

interface Head {
  readonly status: number;
  /** The schemes of Proxy-Authenticate, e.g. `Basic`. */
  readonly schemes: readonly string[];
}

/**
 * Asks an HTTP proxy for a tunnel (RFC 9110, section 9.3.6), over a connection that is open.
 * @throws {ProxyProblem} for a refusal, and for an answer that is not HTTP.
 */
export async function openHttpTunnel(
  socket: Socket,
  address: ProxyAddress,
  target: DialTarget,
): Promise<void> {
  socket.write(requestOf(address, authority(target)));
  const head = await readAnswer(socket, finalHead);
  if (head.status < 200 || head.status > 299) throw refusal(head, address, authority(target));
}

function requestOf({ user, password = '' }: ProxyAddress, host: string): string {
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  return [
    `CONNECT ${host} HTTP/1.1`,
    `Host: ${host}`,
    'User-Agent: listwatch',
    ...(user === undefined ? [] : [`Proxy-Authorization: Basic ${basic}`]),
    '\r\n',
  ].join('\r\n');
}

/** The first head that is not an interim one, such as 100. */
function finalHead(bytes: Buffer): ParsedAnswer<Head> | undefined {
  let usedBytes = 0;
  for (;;) {
    const text = bytes.toString('latin1', usedBytes, LONGEST_HEAD);
    if (text.slice(0, HTTP.length) !== HTTP.slice(0, text.length)) throw notHttp(bytes);
    const end = BLANK_LINE.exec(text);
    if (end === null) {
      if (bytes.length < LONGEST_HEAD) return undefined;
      throw notHttpProxy(`the head of its answer has more than ${LONGEST_HEAD} bytes`);
    }
    usedBytes += end.index + end[0].length;
    const head = headOf(text.slice(0, end.index));
    if (head.status >= 200) return { value: head, usedBytes };
  }
}

function headOf(text: string): Head {
  const [first = '', ...lines] = text.split(/\r?\n/);
  const status = /^HTTP\/1\.\d (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw notHttpProxy('its answer has no HTTP status line');
  const schemes = lines
    .map((line) => /^proxy-authenticate:\s*([\w-]+)/i.exec(line)?.[1])
    .filter((scheme) => scheme !== undefined);
  return { status: Number(status), schemes };
}

function refusal({ status, schemes }: Head, address: ProxyAddress, target: string): ProxyProblem {
  // Not the words of the proxy: some repeat the request, with its credentials.
  const answer = [`HTTP ${status}`, STATUS_CODES[status]].filter(Boolean).join(' ');
  switch (status) {
    case 407:
      return acceptsBasic(schemes) ? unauthenticated(address, answer) : noBasic(schemes, answer);
    case 403:
      return forbidden(target, answer);
    case 502:
    case 503:
    case 504:
      return unreachable(target, answer);
    default:
      return notHttpProxy(`it refused CONNECT with ${answer}`);
  }
}

function acceptsBasic(schemes: readonly string[]): boolean {
  return schemes.length === 0 || schemes.some((scheme) => scheme.toLowerCase() === 'basic');
}

function noBasic(schemes: readonly string[], answer: string): ProxyProblem {
  const asked = schemes.slice(0, MOST_SCHEMES).join(' or ');
  return new ProxyProblem(
    `it asks for ${asked} authentication, and only Basic is possible (${answer})`,
    'run a local proxy that signs in there, and use that one',
  );
}

function notHttp(bytes: Buffer): ProxyProblem {
  // An alert of TLS; an answer of SOCKS 5 or 4.
  if (bytes[0] === 0x15) return otherProtocol('it speaks TLS at this port', 'https');
  if (bytes[0] === 5 || bytes[0] === 0) return otherProtocol('it speaks SOCKS', 'socks5');
  return notHttpProxy('its answer is not HTTP/1.1');
}

function notHttpProxy(problem: string): ProxyProblem {
  return notProxy(problem, 'an HTTP proxy');
}
