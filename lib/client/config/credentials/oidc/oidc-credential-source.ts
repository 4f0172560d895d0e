import { abortable } from '../../../../kernel/time/abort.ts';
import { errorMessage, type ListwatchError } from '../../../../kernel/failure/errors.ts';
import { guardedLogger } from '../../../../kernel/report/guarded-logger.ts';
import { consoleLogger } from '../../../../kernel/report/console-logger.ts';
import type { Logger } from '../../../../kernel/report/logger.ts';
import type { Runtime } from '../../../../kernel/time/runtime.ts';
import { withDeadline } from '../../../../kernel/time/wait.ts';
import { Credential, type CredentialSource } from '../../../transport/contract/credential.ts';
import { LOG_IN_AGAIN, oidcError } from './oidc-error.ts';
import type { OidcIssuerClient } from './oidc-issuer-client.ts';
import type { RefreshedTokens } from './oidc-options.ts';

export interface OidcCredentialSourceOptions {
  readonly source: string;
  readonly issuer: OidcIssuerClient;
  readonly idToken: string | undefined;
  readonly refreshToken: string | undefined;
  readonly persist: ((tokens: RefreshedTokens) => Promise<void>) | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger | undefined;
}

/** A token is replaced so long before it expires (client-go plugin/pkg/client/auth/oidc expiryDelta @ 32ce75a7). */
const LEEWAY_MS = 10_000;

/** A new token is used for so long even if it seems to have expired or is refused: the clock of this machine may be wrong. */
const SHORTEST_USE_MS = 5_000;

/** A failed refresh is not repeated within this time. */
const FAILURE_MS = 1_000;

const LONGEST_PERSIST_MS = 10_000;

interface Held {
  readonly credential: Credential;
  /** By the clock of the issuer. */
  readonly expiresAtMs: number;
  /** On the monotonic clock; `-Infinity` for the token of the configuration. */
  readonly obtainedAtMs: number;
}

/** See `oidcCredentials`. */
export class OidcCredentialSource implements CredentialSource {
  readonly source: string;
  readonly #options: OidcCredentialSourceOptions;
  readonly #logger: ReturnType<typeof guardedLogger>;
  #held: Held | undefined;
  #refreshToken: string | undefined;
  #flight: Promise<Credential> | undefined;
  /** The last error that no request got. */
  #bridged: string | undefined;
  #failure: { readonly error: unknown; readonly atMs: number } | undefined;

  constructor(options: OidcCredentialSourceOptions) {
    const { source, idToken, refreshToken } = options;
    this.source = source;
    this.#options = options;
    this.#logger = guardedLogger(options.logger ?? consoleLogger);
    this.#refreshToken = refreshToken;
    if (idToken === undefined) return;
    const expiresAtMs = expiryOf(idToken);
    if (expiresAtMs !== undefined) {
      const credential = Credential.bearer(idToken, source);
      this.#held = { credential, expiresAtMs, obtainedAtMs: -Infinity };
    } else if (refreshToken !== undefined) {
      this.#logger.warn('the id-token is not a JSON Web Token; it is refreshed', { source });
    }
  }

  current(signal?: AbortSignal): Credential | Promise<Credential> {
    const held = this.#held;
    return held !== undefined && this.#isFresh(held) ? held.credential : this.#renewed(signal);
  }

  async refresh(rejected: Credential, signal?: AbortSignal): Promise<Credential | undefined> {
    const held = this.#held;
    if (held !== undefined && !held.credential.equals(rejected)) return await this.current(signal);
    if (this.#refreshToken === undefined) return undefined;
    // A server that refuses every token must not make each request a refresh.
    if (held !== undefined && this.#isNew(held)) return undefined;
    return await abortable(this.#renew(this.#refreshToken), signal);
  }

  #isFresh(held: Held): boolean {
    const leewayMs = this.#refreshToken === undefined ? 0 : LEEWAY_MS;
    return this.#options.runtime.wallMs() < held.expiresAtMs - leewayMs || this.#isNew(held);
  }

  #isNew({ obtainedAtMs }: Held): boolean {
    return this.#options.runtime.monotonicMs() - obtainedAtMs < SHORTEST_USE_MS;
  }

  async #renewed(signal: AbortSignal | undefined): Promise<Credential> {
    const refreshToken = this.#refreshToken;
    if (refreshToken === undefined) throw this.#cannotRefresh();
    try {
      return await abortable(this.#renew(refreshToken), signal);
    } catch (error) {
      signal?.throwIfAborted();
      const held = this.#held;
      if (held === undefined || this.#options.runtime.wallMs() >= held.expiresAtMs) throw error;
      // The last seconds of the old token bridge a short outage of the issuer.
      this.#warnOnce(errorMessage(error));
      return held.credential;
    }
  }

  /** The requests go on, so the log is the only place where the error is seen. */
  #warnOnce(problem: string): void {
    if (this.#bridged === problem) return;
    this.#bridged = problem;
    this.#logger.warn('the ID token cannot be refreshed; it is used until it expires', {
      error: problem,
    });
  }

  #cannotRefresh(): ListwatchError {
    const { source, idToken } = this.#options;
    const held = this.#held;
    const problem =
      held !== undefined
        ? `the id-token expired on ${dateOf(held.expiresAtMs)}`
        : idToken === undefined
          ? 'there is no id-token'
          : 'the id-token is not a JSON Web Token';
    return oidcError(source, `${problem} and there is no refresh-token; ${LOG_IN_AGAIN}`);
  }

  /**
   * One exchange serves all callers. It is not aborted with them, because an issuer that has replaced the refresh token accepts
   * the old one no more; the time limits of the exchange end it.
   */
  #renew(refreshToken: string): Promise<Credential> {
    if (this.#flight !== undefined) return this.#flight;
    const failure = this.#failure;
    const { runtime } = this.#options;
    if (failure !== undefined && runtime.monotonicMs() - failure.atMs < FAILURE_MS) {
      return Promise.reject(failure.error);
    }
    this.#flight = this.#exchange(refreshToken)
      .then(
        (credential) => {
          this.#failure = undefined;
          this.#bridged = undefined;
          return credential;
        },
        (error: unknown) => {
          this.#failure = { error, atMs: runtime.monotonicMs() };
          throw error;
        },
      )
      .finally(() => {
        this.#flight = undefined;
      });
    return this.#flight;
  }

  async #exchange(usedRefreshToken: string): Promise<Credential> {
    const { source, issuer, runtime } = this.#options;
    const { idToken, refreshToken = usedRefreshToken } = await issuer.refresh(usedRefreshToken);
    // Kept even if the ID token is of no use: the used one may be void now.
    this.#refreshToken = refreshToken;
    const expiresAtMs = expiryOf(idToken);
    if (expiresAtMs === undefined) {
      const problem = `the id_token of the issuer is not a JSON Web Token of at most ${LONGEST_ID_TOKEN} bytes`;
      throw oidcError(source, `${problem}; check idp-issuer-url`);
    }
    const credential = Credential.bearer(idToken, source);
    const obtainedAtMs = runtime.monotonicMs();
    this.#held = { credential, expiresAtMs, obtainedAtMs };
    if (runtime.wallMs() >= expiresAtMs) {
      const expiredOn = dateOf(expiresAtMs);
      this.#logger.warn("the new ID token has expired; check this machine's clock", {
        source,
        expiredOn,
      });
    }
    await this.#persist({ idToken, refreshToken, usedRefreshToken });
    return credential;
  }

  async #persist(tokens: RefreshedTokens): Promise<void> {
    const { persist, runtime, source } = this.#options;
    if (persist === undefined) return;
    try {
      const describe = (): string => 'the write of the refreshed tokens';
      await withDeadline(runtime, persist(tokens), { timeoutMs: LONGEST_PERSIST_MS, describe });
    } catch (error) {
      this.#logger.warn('the refreshed tokens stay in memory', {
        source,
        error: errorMessage(error),
      });
    }
  }
}

function dateOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'an unknown date' : date.toISOString().replace('.000', '');
}

/** A longer token could not be sent: servers accept headers of some kilobytes. */
const LONGEST_ID_TOKEN = 65_536;

/**
 * When a JSON Web Token expires, milliseconds since 1970; `Infinity` if it does not say so. Undefined: it is not a JSON Web Token.
 * The signature is not verified: that is the task of the server.
 */
export function expiryOf(idToken: string): number | undefined {
  if (idToken.length > LONGEST_ID_TOKEN) return undefined;
  const parts = idToken.split('.');
  const [, payload = ''] = parts;
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part))) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return undefined;
    const { exp } = claims as { readonly exp?: unknown };
    if (exp === undefined) return Infinity;
    return typeof exp === 'number' ? exp * 1_000 : undefined;
  } catch {
    return undefined;
  }
}
