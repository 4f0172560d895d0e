import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Logger } from '../../../kernel/report/logger.ts';
import type { ApiResponse } from '../../http/api-request.ts';
import { textResponse, withHeaders } from '../../http/responses/api-response.ts';
import { PageNotFound } from '../../http/request-failures.ts';

export const HEALTH_ENDPOINTS: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/** One condition of a healthy server. */
export interface HealthCheck {
  /** As kube-apiserver calls it: `etcd`, `poststarthook/storage-readiness`. */
  readonly name: string;
  /** @defaultValue all three */
  readonly endpoints?: readonly HealthEndpoint[] | undefined;
  /** Throws or rejects when the condition does not hold. The message is shown to requests for this one check. */
  check(): void | Promise<void>;
}

const HEALTH_PATH = /^\/(?:healthz|livez|readyz)(?:[/?]|$)/;

/** Whether a URL is that of an endpoint or of one check. */
export function isHealthPath(url: string): boolean {
  return HEALTH_PATH.test(url);
}

interface Verdict {
  readonly name: string;
  /** Undefined when the check passed; left out of the run when it was excluded. */
  readonly failure: string | undefined;
  readonly excluded: boolean;
}

/** The check that every server passes that answers at all. */
const ping: HealthCheck = { name: 'ping', check: () => {} };

/**
 * Answers `/healthz`, `/livez` and `/readyz`, and a path below each for every check.
 * @see apiserver pkg/server/healthz/healthz.go handleRootHealth @ 24a394e
 */
export class HealthEndpoints {
  readonly #checks: readonly HealthCheck[];
  readonly #logger: Logger;

  constructor(checks: readonly HealthCheck[], logger: Logger) {
    this.#checks = [ping, ...checks];
    this.#logger = logger;
  }

  /** All paths, each with its slash. */
  paths(): string[] {
    return HEALTH_ENDPOINTS.flatMap((endpoint) => [
      `/${endpoint}`,
      ...this.#of(endpoint).map(({ name }) => `/${endpoint}/${name}`),
    ]);
  }

  /**
   * @param path `/livez`, or `/livez/etcd` for one check
   * @throws {ApiError} 404 for a check that does not exist.
   */
  async answer(path: string, query: URLSearchParams): Promise<ApiResponse> {
    const endpoint = HEALTH_ENDPOINTS.find(
      (name) => path === `/${name}` || path.startsWith(`/${name}/`),
    );
    if (endpoint === undefined) throw new PageNotFound();
    const checks = this.#of(endpoint);
    if (path === `/${endpoint}`) return await this.#all(endpoint, checks, query);
    const name = path.slice(endpoint.length + 2);
    const check = checks.find((one) => one.name === name);
    if (check === undefined) throw new PageNotFound();
    const failure = await failureOf(check);
    return failure === undefined
      ? textResponse(200, 'ok')
      : failedResponse(`internal server error: ${failure}`);
  }

  #of(endpoint: HealthEndpoint): HealthCheck[] {
    return this.#checks.filter(({ endpoints = HEALTH_ENDPOINTS }) => endpoints.includes(endpoint));
  }

  async #all(
    endpoint: HealthEndpoint,
    checks: readonly HealthCheck[],
    query: URLSearchParams,
  ): Promise<ApiResponse> {
    const excluded = new Set(query.getAll('exclude'));
    const verdicts = await Promise.all(
      checks.map(async (check): Promise<Verdict> => {
        const { name } = check;
        if (excluded.has(name)) return { name, failure: undefined, excluded: true };
        return { name, failure: await failureOf(check), excluded: false };
      }),
    );
    const failed = verdicts.filter(({ failure }) => failure !== undefined);
    const text = verdicts.map(lineOf).join('') + warning(excluded, checks);
    if (failed.length > 0) {
      this.#logger.warn('a health check failed', {
        endpoint,
        checks: Object.fromEntries(failed.map(({ name, failure }) => [name, failure])),
      });
      return failedResponse(`${text}${endpoint} check failed`);
    }
    const passed = query.has('verbose') ? `${text}${endpoint} check passed\n` : 'ok';
    return withHeaders(textResponse(200, passed), { 'x-content-type-options': 'nosniff' });
  }
}

async function failureOf(check: HealthCheck): Promise<string | undefined> {
  try {
    await check.check();
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** The reason of a failure may not be public, so only the log has it. */
function lineOf({ name, failure, excluded }: Verdict): string {
  if (excluded) return `[+]${name} excluded: ok\n`;
  return failure === undefined ? `[+]${name} ok\n` : `[-]${name} failed: reason withheld\n`;
}

function warning(excluded: ReadonlySet<string>, checks: readonly HealthCheck[]): string {
  const unknown = [...excluded].filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length === 0) return '';
  const names = unknown.toSorted().map((name) => JSON.stringify(name));
  return `warn: some health checks cannot be excluded: no matches for ${names.join(', ')}\n`;
}

function failedResponse(text: string): ApiResponse {
  return withHeaders(textResponse(500, `${text}\n`), { 'x-content-type-options': 'nosniff' });
}
