import { isIPv4, isIPv6, type Socket } from 'node:net';
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

const VERSION = 5;
const CONNECT = 1;
const NO_AUTHENTICATION = 0;
const USER_AND_PASSWORD = 2;
const NONE_ACCEPTABLE = 0xff;

/** The version of a login and of its answer (RFC 1929). */
const LOGIN_VERSION = 1;

const IPV4 = 1;
const HOST_NAME = 3;
const IPV6 = 4;

/** The most bytes of a host name. */
const LONGEST_NAME = 255;

/** The names of the replies, from 0 (RFC 1928, section 6). */
const REPLIES = [
  'succeeded',
  'general SOCKS server failure',
  'connection not allowed by ruleset',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'TTL expired',
  'command not supported',
  'address type not supported',
] as const;

/**
 * Asks a SOCKS5 proxy for a tunnel (RFC 1928, with the login of RFC 1929), over a connection that is open. A host name is sent
 * as it is, and the proxy resolves it.
 * @throws {ProxyProblem} for a refusal, and for an answer that is not SOCKS5.
 */
export async function openSocksTunnel(
  socket: Socket,
  address: ProxyAddress,
  target: DialTarget,
): Promise<void> {
  const request = requestOf(target);
  const methods =
    address.user === undefined ? [NO_AUTHENTICATION] : [NO_AUTHENTICATION, USER_AND_PASSWORD];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const method = await readAnswer(socket, methodOf);
  if (method === USER_AND_PASSWORD && address.user !== undefined) {
    socket.write(loginOf(address));
    const accepted = await readAnswer(socket, loginAccepted);
    if (!accepted) throw unauthenticated(address, 'SOCKS login refused');
  } else if (method === NONE_ACCEPTABLE) {
    throw noMethod(address);
  } else if (method !== NO_AUTHENTICATION) {
    throw notSocks(`it chose the authentication method ${method}, which was not offered`);
  }
  socket.write(request);
  const reply = await readAnswer(socket, replyOf);
  if (reply !== 0) throw refusal(reply, target);
}

function loginOf({ user = '', password = '' }: ProxyAddress): Buffer {
  return Buffer.concat([Buffer.from([LOGIN_VERSION]), prefixed(user), prefixed(password)]);
}

/** A text behind the number of its bytes. */
function prefixed(text: string): Buffer {
  return Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
}

function requestOf(target: DialTarget): Buffer {
  const port = Buffer.alloc(2);
  port.writeUInt16BE(target.port);
  return Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(target), port]);
}

function addressOf(target: DialTarget): Buffer {
  const { host } = target;
  if (isIPv4(host)) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  if (isIPv6(host)) return Buffer.concat([Buffer.from([IPV6]), ipv6Bytes(host)]);
  if (Buffer.byteLength(host) > LONGEST_NAME) {
    throw new ProxyProblem(
      `the host name has more than the ${LONGEST_NAME} bytes that SOCKS can carry`,
      'use a shorter name or the IP address as the server address',
    );
  }
  return Buffer.concat([Buffer.from([HOST_NAME]), prefixed(host)]);
}

function ipv6Bytes(host: string): Buffer {
  // The zone of an address means nothing on another machine. URL writes the last 32 bits without dots.
  const plain = new URL(`http://[${host.replace(/%.*/, '')}]`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const first = head.split(':').filter(Boolean);
  const last = (tail ?? '').split(':').filter(Boolean);
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  const groups = [...first, ...zeros, ...last].map((group) => group.padStart(4, '0'));
  return Buffer.from(groups.join(''), 'hex');
}

function methodOf(bytes: Buffer): ParsedAnswer<number> | undefined {
  checkVersion(bytes);
  return bytes.length < 2 ? undefined : { value: bytes[1] as number, usedBytes: 2 };
}

function loginAccepted(bytes: Buffer): ParsedAnswer<boolean> | undefined {
  // The version of this answer is wrong in some proxies, and its meaning does not depend on it.
  return bytes.length < 2 ? undefined : { value: bytes[1] === 0, usedBytes: 2 };
}

/** The code of a reply. The address behind it, from which the proxy connects, is of no use to a client. */
function replyOf(bytes: Buffer): ParsedAnswer<number> | undefined {
  checkVersion(bytes);
  const code = bytes[1];
  // Some proxies close the connection behind the code of a refusal.
  if (code !== undefined && code !== 0) return { value: code, usedBytes: bytes.length };
  const usedBytes = replyLength(bytes);
  return usedBytes === undefined || bytes.length < usedBytes ? undefined : { value: 0, usedBytes };
}

/** Version, reply, reserved, kind of address, address, port. */
function replyLength(bytes: Buffer): number | undefined {
  switch (bytes[3]) {
    case undefined:
      return undefined;
    case IPV4:
      return 10;
    case IPV6:
      return 22;
    case HOST_NAME:
      return bytes[4] === undefined ? undefined : 7 + bytes[4];
    default:
      throw notSocks(`its reply has an address of the unknown type ${bytes[3]}`);
  }
}

function checkVersion(bytes: Buffer): void {
  if (bytes[0] === VERSION) return;
  if (bytes[0] === 0x48) throw otherProtocol('it speaks HTTP', 'http');
  if (bytes[0] === 0x15) throw otherProtocol('it speaks TLS', 'https');
  throw notSocks('its answer is not SOCKS5');
}

function refusal(code: number, target: DialTarget): ProxyProblem {
  const answer = `SOCKS reply ${code}: ${REPLIES[code] ?? 'unknown'}`;
  switch (code) {
    case 2:
      return forbidden(authority(target), answer);
    case 7:
      return notSocks(`it makes no connections (${answer})`);
    case 8:
      return new ProxyProblem(
        `it does not take an address such as ${authority(target)} (${answer})`,
        'write the server address in another form: name, IPv4 or IPv6',
      );
    default:
      return unreachable(authority(target), answer);
  }
}

function noMethod(address: ProxyAddress): ProxyProblem {
  const answer = 'no acceptable SOCKS authentication method';
  if (address.user === undefined) return unauthenticated(address, answer);
  return new ProxyProblem(
    `it accepts no login with user and password (${answer})`,
    'use a proxy that does, or an HTTP proxy',
  );
}

function notSocks(problem: string): ProxyProblem {
  return notProxy(problem, 'a SOCKS5 proxy');
}
