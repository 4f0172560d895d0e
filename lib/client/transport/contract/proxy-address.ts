import { ListwatchError } from '../../../kernel/failure/errors.ts';

/** How a proxy is spoken to: CONNECT over a plain or a TLS connection, or SOCKS version 5. */
export type ProxyProtocol = 'http' | 'https' | 'socks5';

interface ProxyFields {
  readonly protocol: ProxyProtocol;
  readonly text: string;
  readonly host: string;
  readonly port: number;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

const DEFAULT_PORTS: Readonly<Record<ProxyProtocol, number>> = {
  http: 80,
  https: 443,
  socks5: 1080,
};

/** The most bytes of a user or a password that SOCKS can carry (RFC 1929, section 2). */
const SOCKS_LONGEST = 255;

/** Where a proxy is, and the user for it. Printing or serialising it shows no user and no password. */
export class ProxyAddress {
  readonly protocol: ProxyProtocol;
  /** Scheme, host and port, for messages, e.g. `http://proxy.example:3128`. */
  readonly text: string;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  // `inspect` and `JSON.stringify` do not show private fields.
  readonly #user: string | undefined;
  readonly #password: string | undefined;

  constructor({ protocol, text, host, port, user, password }: ProxyFields) {
    this.protocol = protocol;
    this.text = text;
    this.host = host;
    this.port = port;
    this.#user = user;
    this.#password = password;
  }

  get user(): string | undefined {
    return this.#user;
  }

  get password(): string | undefined {
    return this.#password;
  }
}

/**
 * Reads the URL of a proxy: `http://`, `https://`, `socks5://` or `socks5h://`, with a user and a password if the proxy asks for
 * them. Both SOCKS schemes send the host name to the proxy, as in Go.
 * @throws {ListwatchError} code INVALID_OPTION; the message does not repeat the URL.
 */
export function parseProxyAddress(text: string): ProxyAddress {
  const url = parseUrl(text);
  const protocol = protocolOf(url);
  if (url.hostname === '') throw invalid('it has no host; expected http://HOST:PORT');
  // A "/", "?" or "#" in a password ends the host, and the rest of the password would go unnoticed.
  if (/@/.test(url.pathname + url.search + url.hash)) throw invalid(ESCAPE);
  const user = url.username === '' ? undefined : unescape(url.username);
  const password = url.password === '' ? undefined : unescape(url.password);
  if (protocol === 'socks5' && Math.max(byteLength(user), byteLength(password)) > SOCKS_LONGEST) {
    throw invalid(
      `its user or password has more than the ${SOCKS_LONGEST} bytes that SOCKS can carry`,
    );
  }
  if (user === undefined && password !== undefined) {
    throw invalid('it has a password without a user; expected http://USER:PASSWORD@HOST:PORT');
  }
  const port = url.port === '' ? DEFAULT_PORTS[protocol] : Number(url.port);
  return new ProxyAddress({
    protocol,
    text: `${url.protocol}//${url.hostname}:${port}`,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    user,
    password,
  });
}

const ESCAPE =
  'write the characters % / ? # @ and : of a user or password as %25 %2F %3F %23 %40 %3A';

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw invalid(`it is not a URL; expected http://HOST:PORT, and ${ESCAPE}`);
  }
}

function protocolOf(url: URL): ProxyProtocol {
  switch (url.protocol) {
    case 'http:':
      return 'http';
    case 'https:':
      return 'https';
    case 'socks5:':
    case 'socks5h:':
      return 'socks5';
    default:
      throw invalid(
        'its scheme is none of http://, https://, socks5:// and socks5h://; use one that the proxy speaks',
      );
  }
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(ESCAPE);
  }
}

function byteLength(text: string = ''): number {
  return Buffer.byteLength(text);
}

function invalid(problem: string): ListwatchError {
  return new ListwatchError('INVALID_OPTION', `the proxy URL cannot be used: ${problem}`);
}
