import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import { parseProxyAddress } from '../transport/contract/proxy-address.ts';
import { parseServerAddress } from '../transport/contract/server-address.ts';

/** A proxy that an environment variable names. Printing or serialising it shows no user and no password. */
export class EnvironmentProxy {
  /** The name of the variable. */
  readonly source: string;
  // `inspect` and `JSON.stringify` do not show private fields.
  readonly #url: string;

  constructor(source: string, url: string) {
    this.source = source;
    this.#url = url;
  }

  /** With user and password, if it has them. */
  get url(): string {
    return this.#url;
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a server, by the rules of Go: HTTPS_PROXY for https servers, HTTP_PROXY for http servers, then ALL_PROXY, each in
 * upper or lower case. Undefined: the server is reached directly, because no variable names a proxy, because NO_PROXY names the
 * server, or because it is `localhost` or a loopback address. A proxy without a scheme is an HTTP proxy.
 *
 * HTTP_PROXY is ignored when REQUEST_METHOD is set: in a CGI program a client of the web server can set it with a `Proxy` header.
 * @see golang.org/x/net http/httpproxy/proxy.go @ 094d4385, which has no ALL_PROXY
 * @throws {ListwatchError} code CONFIG_INVALID naming the variable, without its value; INVALID_OPTION for the server address.
 */
export function proxyOf(server: string, env: Variables): EnvironmentProxy | undefined {
  const { text, secure } = parseServerAddress(server);
  const name = variableOf(secure, env);
  if (name === undefined) return undefined;
  const { hostname, port } = new URL(text);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const target = { host, port: port === '' ? (secure ? '443' : '80') : port };
  if (isThisMachine(host) || isExcluded(target, valueOf('NO_PROXY', env)?.value ?? '')) {
    return undefined;
  }
  const value = env[name]?.trim() ?? '';
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  try {
    parseProxyAddress(url);
  } catch (error) {
    throw new ListwatchError('CONFIG_INVALID', `the variable ${name}: ${errorMessage(error)}`);
  }
  return new EnvironmentProxy(name, url);
}

function variableOf(secure: boolean, env: Variables): string | undefined {
  const names = ['ALL_PROXY'];
  if (secure) names.unshift('HTTPS_PROXY');
  else if ((env['REQUEST_METHOD'] ?? '') === '') names.unshift('HTTP_PROXY');
  for (const name of names) {
    const found = valueOf(name, env);
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/** The value in upper case or, if that is empty, in lower case. */
function valueOf(upper: string, env: Variables): { name: string; value: string } | undefined {
  for (const name of [upper, upper.toLowerCase()]) {
    const value = env[name]?.trim() ?? '';
    if (value !== '') return { name, value };
  }
  return undefined;
}

interface Target {
  /** In lower case and ASCII, without brackets. */
  readonly host: string;
  readonly port: string;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

function isThisMachine(host: string): boolean {
  return host === 'localhost' || contains(LOOPBACK, host);
}

/** Whether an entry of NO_PROXY names the target. Entries that are malformed are ignored, as in Go. */
function isExcluded(target: Target, list: string): boolean {
  const entries = list.split(',').map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry !== '' && names(entry, target));
}

/** `*`, a network such as `10.0.0.0/8`, or an address or a domain, with or without a port. */
function names(entry: string, target: Target): boolean {
  if (entry === '*') return true;
  const [, network = '', bits = ''] = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (bits !== '') return isInNetwork(target.host, network, Number(bits));
  const { host, port } = splitPort(entry);
  if (port !== '' && port !== target.port) return false;
  if (isIP(host) !== 0) return isSameAddress(target.host, host);
  return isInDomain(target.host, host);
}

/** The port behind a host or behind an IPv6 address in brackets. */
function splitPort(entry: string): Target {
  const [, bracketed, bracketedPort = ''] = /^\[([^\]]*)\](?::(.*))?$/.exec(entry) ?? [];
  if (bracketed !== undefined) return { host: bracketed, port: bracketedPort };
  const [, host = entry, port = ''] = /^([^:]*):([^:]*)$/.exec(entry) ?? [];
  return { host, port };
}

function isInNetwork(host: string, network: string, bits: number): boolean {
  const version = isIP(network);
  if (version === 0 || bits > (version === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, version === 4 ? 'ipv4' : 'ipv6');
  return contains(list, host);
}

function isSameAddress(host: string, address: string): boolean {
  const list = new BlockList();
  list.addAddress(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return contains(list, host);
}

function contains(list: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** `shop.test` names itself and its subdomains; `.shop.test` and `*.shop.test` name the subdomains only. */
function isInDomain(host: string, entry: string): boolean {
  const below = /^\*?\./.test(entry);
  const domain = ascii(entry.replace(/^\*?\./, ''));
  if (domain === '') return false;
  return host.endsWith(`.${domain}`) || (!below && host === domain);
}

/** As `URL` writes the host of a server. */
function ascii(domain: string): string {
  // oxlint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(domain) ? domain : domainToASCII(domain);
}
