/** Why a proxy makes no tunnel: cause and remedy in one line, without the names of proxy and target. */
export class ProxyProblem extends Error {
  override readonly name = 'ProxyProblem';

  constructor(cause: string, remedy: string) {
    super(`${cause}; ${remedy}`);
  }
}
