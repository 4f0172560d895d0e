import { STATUS_CODES } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { ProxyAddress } from '../../contract/proxy-address.ts';
import type { DialTarget } from './dialer.ts';
import { ProxyProblem } from './proxy-problem.ts';
import { readAnswer, type ParsedAnswer } from './read-answer.ts';

/** The most bytes of an answer to CONNECT, without the body that follows a refusal. */
const LONGEST_HEAD = 16 * 1024;

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

/** Host and port as one text, an IPv6 address in brackets. */
export function authority({ host, port }: DialTarget): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
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
      throw notProxy(`the head of its answer has more than ${LONGEST_HEAD} bytes`);
    }
    usedBytes += end.index + end[0].length;
    const head = headOf(text.slice(0, end.index));
    if (head.status >= 200) return { value: head, usedBytes };
  }
}

function headOf(text: string): Head {
  const [first = '', ...lines] = text.split(/\r?\n/);
  const status = /^HTTP\/1\.\d (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw notProxy('its answer has no HTTP status line');
  const schemes = lines
    .map((line) => /^proxy-authenticate:\s*([\w-]+)/i.exec(line)?.[1])
    .filter((scheme) => scheme !== undefined);
  return { status: Number(status), schemes };
}

function refusal({ status, schemes }: Head, address: ProxyAddress, target: string): ProxyProblem {
  const answer = [`HTTP ${status}`, STATUS_CODES[status]].filter(Boolean).join(' ');
  if (status === 407) return unauthenticated(schemes, address, answer);
  if (status === 403) {
    return new ProxyProblem(
      `it does not allow connections to ${target} (${answer})`,
      `let its operator allow them, or put the host into NO_PROXY`,
    );
  }
  if (status === 502 || status === 503 || status === 504) {
    return new ProxyProblem(
      `it cannot reach ${target} (${answer})`,
      'check that the server address can be resolved and reached from the proxy',
    );
  }
  return notProxy(`it refused CONNECT with ${answer}`);
}

function unauthenticated(
  schemes: readonly string[],
  { user, protocol, host, port }: ProxyAddress,
  answer: string,
): ProxyProblem {
  if (schemes.length > 0 && !schemes.some((scheme) => scheme.toLowerCase() === 'basic')) {
    return new ProxyProblem(
      `it asks for ${schemes.slice(0, 5).join(' or ')} authentication, and only Basic is possible (${answer})`,
      'run a local proxy that signs in there, and use that one',
    );
  }
  if (user !== undefined) {
    return new ProxyProblem(
      `it does not accept the user and password of the proxy URL (${answer})`,
      'correct them in proxy-url or HTTPS_PROXY',
    );
  }
  return new ProxyProblem(
    `it asks for a user and a password (${answer})`,
    `put them into proxy-url or HTTPS_PROXY: ${protocol}://USER:PASSWORD@${authority({ host, port })}`,
  );
}

function notHttp(bytes: Buffer): ProxyProblem {
  if (bytes[0] === 0x15 && (bytes.length === 1 || bytes[1] === 3)) {
    return new ProxyProblem('it speaks TLS at this port', 'write https:// in the proxy URL');
  }
  if (bytes[0] === 5 || bytes[0] === 0) {
    return new ProxyProblem(
      'it does not speak HTTP',
      'write socks5:// in the proxy URL if it is a SOCKS proxy',
    );
  }
  return notProxy('its answer is not HTTP/1.1');
}

function notProxy(problem: string): ProxyProblem {
  return new ProxyProblem(
    problem,
    'check that host and port of the proxy URL are those of an HTTP proxy that offers CONNECT',
  );
}
