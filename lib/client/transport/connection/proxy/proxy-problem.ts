import type { ProxyAddress } from '../../contract/proxy-address.ts';
import { authority } from './authority.ts';

/** Where users write the URL of a proxy. */
const PLACES = 'the proxy URL (proxy-url or HTTPS_PROXY)';

/** Why a proxy makes no tunnel: cause and remedy in one line, without the names of proxy and target. */
export class ProxyProblem extends Error {
  override readonly name = 'ProxyProblem';

  constructor(cause: string, remedy: string) {
    super(`${cause}; ${remedy}`);
  }
}

/** The user and password are wrong, or there are none. `answer` is what the proxy said. */
export function unauthenticated(address: ProxyAddress, answer: string): ProxyProblem {
  const { user, protocol } = address;
  if (user !== undefined) {
    return new ProxyProblem(
      `it does not accept the user and password (${answer})`,
      `correct them in ${PLACES}`,
    );
  }
  return new ProxyProblem(
    `it asks for a user and a password (${answer})`,
    `put them into ${PLACES}: ${protocol}://USER:PASSWORD@${authority(address)}`,
  );
}

/** The proxy forbids the target. */
export function forbidden(target: string, answer: string): ProxyProblem {
  return new ProxyProblem(
    `it does not allow connections to ${target} (${answer})`,
    'let its operator allow them, or put the host into NO_PROXY',
  );
}

/** The proxy allows the target, and cannot connect to it. */
export function unreachable(target: string, answer: string): ProxyProblem {
  return new ProxyProblem(
    `it cannot reach ${target} (${answer})`,
    'check that the server address can be resolved and reached from the proxy',
  );
}

/** The server at the address of the proxy speaks another protocol. `scheme`: what it seems to be. */
export function otherProtocol(problem: string, scheme: string): ProxyProblem {
  return new ProxyProblem(problem, `write ${scheme}:// in ${PLACES}`);
}

/** The server at the address of the proxy is not a proxy of this kind. */
export function notProxy(problem: string, kind: 'an HTTP proxy' | 'a SOCKS5 proxy'): ProxyProblem {
  return new ProxyProblem(problem, `give host and port of ${kind} in ${PLACES}`);
}

/** The proxy closed the connection; `when` it did so. */
export function closedByProxy(when: string): ProxyProblem {
  return new ProxyProblem(
    `it closed the connection ${when}`,
    `look at its log, and check the scheme and the port of ${PLACES}`,
  );
}
