import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../kernel/failure/loopback.ts';
import { plainText } from '../../kernel/text/plain-text.ts';
import { textAnswer, type Answer } from './answer.ts';

export interface RequestGuardOptions {
  /** Undefined: none is asked for. */
  readonly token: string | undefined;
  /** Names besides those of this machine for which requests are answered. */
  readonly hosts: readonly string[];
}

const LONGEST_HOST = 100;

/**
 * Decides which requests are answered.
 *
 * - The `Host` header has to name this machine or an allowed host: a web page can make its own name resolve to this machine, and the
 *   browser of the user then sends its requests here.
 * - Requests that another site makes are refused; browsers mark them. A page of another site cannot read answers anyway.
 * - With a token: in an `Authorization` header, or in the cookie that the address with the token sets.
 */
export class RequestGuard {
  readonly #token: Buffer | undefined;
  readonly #cookie: string;
  readonly #hosts: ReadonlySet<string>;

  constructor({ token, hosts }: RequestGuardOptions) {
    this.#token = token === undefined ? undefined : digestOf(token);
    // A reader of the cookie does not get the token.
    this.#cookie = token === undefined ? '' : digestOf(`cookie ${token}`).toString('base64url');
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
  }

  get asksForToken(): boolean {
    return this.#token !== undefined;
  }

  /** Undefined if the host is one that may be named. */
  refuseHost({ headers }: IncomingMessage): Answer | undefined {
    const { host = '' } = headers;
    const name = host.replace(/:\d+$/, '').toLowerCase();
    if (name !== '' && (isLoopback(name) || this.#hosts.has(name.replace(/^\[(.*)\]$/, '$1')))) {
      return undefined;
    }
    const shown = plainText(host, LONGEST_HOST);
    return textAnswer(
      403,
      `The Host header names ${shown === '' ? 'no host' : `"${shown}"`}, which is not this inspector. Open it by its own address, or give serveInspector this name in "allowedHosts".`,
    );
  }

  /** Undefined if the request may be answered. */
  refuse(request: IncomingMessage, port: number): Answer | undefined {
    const site = request.headers['sec-fetch-site'];
    const isOpened = request.headers['sec-fetch-mode'] === 'navigate' && request.method === 'GET';
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isOpened) {
      return textAnswer(403, 'A page of another site has sent this request; it is not answered.');
    }
    if (this.#token === undefined || this.#hasToken(request, port)) return undefined;
    const given = request.headers.authorization === undefined ? 'is missing' : 'is wrong';
    return textAnswer(
      401,
      `The token ${given}. Open the address that the program printed, which ends in ?token=…, or send "Authorization: Bearer …".`,
    );
  }

  /** The cookie for a browser that has given the token in the address; undefined if that is not the token. */
  cookieFor(token: string, port: number): string | undefined {
    if (!this.#isToken(token)) return undefined;
    return `${cookieName(port)}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/`;
  }

  #hasToken({ headers }: IncomingMessage, port: number): boolean {
    const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (bearer !== undefined) return this.#isToken(bearer);
    const cookies = (headers.cookie ?? '').split(/; */);
    return cookies.some((cookie) => {
      const [name, value = ''] = cookie.split('=', 2);
      return name === cookieName(port) && sameText(value, this.#cookie);
    });
  }

  #isToken(text: string): boolean {
    return this.#token !== undefined && timingSafeEqual(digestOf(text), this.#token);
  }
}

/** Browsers send cookies to all ports of a host. */
function cookieName(port: number): string {
  return `listwatch-inspector-${port}`;
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(`listwatch inspector ${text}`).digest();
}

function sameText(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}
