import type { FailureLeaf } from './failure-leaf.ts';
import type { Peer } from './peer.ts';

type Explain = (peer: Peer) => string;

const unreachable: Explain = () => 'the host cannot be reached; check network, VPN and firewall';
const unresolved: Explain = ({ address }) =>
  `the host name cannot be resolved; check ${address}, VPN and DNS`;
const broken: Explain = ({ noun }) =>
  `the connection broke; if it happens again, look at the ${noun} and at the load balancers and firewalls in front of it`;
const forbidden: Explain = () =>
  'this machine does not permit the connection; check its firewall, and the policy of the container or sandbox';
const noPort: Explain = () =>
  'this machine has no free port for the connection; open fewer connections, or wait a minute until closed ones are gone';
const noFile: Explain = () =>
  'this process or machine has too many open files; raise the limit (ulimit -n), or open fewer files and connections';

/** Cause and remedy, by the code of the system error. */
const CAUSES: ReadonlyMap<string, Explain> = new Map([
  ['ENOTFOUND', unresolved],
  ['ENODATA', unresolved],
  ['ESERVFAIL', unresolved],
  ['EAI_NODATA', unresolved],
  ['EAI_NONAME', unresolved],
  ['EAI_FAIL', unresolved],
  [
    'EAI_AGAIN',
    (): string =>
      'the host name cannot be resolved, because DNS does not answer; check network, VPN and DNS',
  ],
  ['EHOSTUNREACH', unreachable],
  ['EHOSTDOWN', unreachable],
  ['ENETUNREACH', unreachable],
  ['ENETDOWN', unreachable],
  ['ETIMEDOUT', unreachable],
  ['ECONNRESET', broken],
  ['ECONNABORTED', broken],
  ['EPIPE', broken],
  ['ERR_STREAM_PREMATURE_CLOSE', broken],
  ['EACCES', forbidden],
  ['EPERM', forbidden],
  ['EADDRNOTAVAIL', noPort],
  ['EADDRINUSE', noPort],
  ['EMFILE', noFile],
  ['ENFILE', noFile],
]);

/** Cause and remedy of an error of the network or of HTTP. Undefined: it is not known. */
export function networkCause({ code }: FailureLeaf, peer: Peer): string | undefined {
  if (code.startsWith('HPE_')) {
    return `the ${peer.noun} does not speak HTTP/1.1 at this port; check http:// and the port`;
  }
  return CAUSES.get(code)?.(peer);
}
