import { abortable } from '../../../kernel/time/abort.ts';
import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import { parseApiVersion } from '../../../meta/resource.ts';
import { SIGNAL_OPTIONS } from '../request/resource-options.ts';
import type { RestClient } from '../request/rest-client.ts';
import type { ApiResource } from './api-resource.ts';
import { ApiSurface } from './api-surface.ts';
import { DiscoverySource } from './discovery-source.ts';
import { unknownCategory, unknownKind, unknownName } from './unknown-resource.ts';

export interface DiscoveryCallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Reads of the documents: this many at once, and then one in each interval, milliseconds. */
const BURST = 10;
const INTERVAL_MS = 1000;

/**
 * Finds the resources that a server serves.
 *
 * Guarantees:
 * - The documents are read when they are first needed and stay in memory. A kind or a name that they do not have is answered only after
 *   they were read again, so a custom resource that was just defined is found. With aggregated discovery an unchanged document is not
 *   sent again.
 * - Callers share one read. All reads together are at most ten at once and then one a second; a caller waits for its turn.
 * - A failed read is not remembered. An API version whose server does not answer costs no other one: see `ApiResource.stale`.
 *
 * @example
 * const { apiVersion, resource, namespaced } = await client.discovery.named('deploy');
 * for (const one of await client.discovery.category('all')) if (one.supports('list')) console.log(one.fullName);
 */
export class Discovery {
  readonly #rest: RestClient;
  readonly #source: DiscoverySource;
  #surface: ApiSurface | undefined;
  #running: Promise<ApiSurface> | undefined;
  #next: Promise<ApiSurface> | undefined;
  /** When a read would be due if they came one in each interval. */
  #dueMs = -Infinity;
  #reported: ReadonlySet<string> = new Set();

  /** Use `client.discovery`. */
  constructor(rest: RestClient) {
    this.#rest = rest;
    this.#source = new DiscoverySource(rest);
  }

  /**
   * All resources that the server serves, in all versions: the core group first, of each group the preferred version first. Always asks
   * the server.
   */
  async resources(options: DiscoveryCallOptions = {}): Promise<readonly ApiResource[]> {
    SIGNAL_OPTIONS.read(options, 'resources');
    return (await abortable(this.#read(), options.signal)).resources;
  }

  /**
   * The resource of an `apiVersion` and `kind`, as written in a manifest.
   * @throws {ListwatchError} code RESOURCE_UNKNOWN naming what is missing; DISCOVERY_STALE when its server does not answer;
   * INVALID_API_VERSION.
   */
  async find(
    apiVersion: string,
    kind: string,
    options: DiscoveryCallOptions = {},
  ): Promise<ApiResource> {
    SIGNAL_OPTIONS.read(options, 'find');
    parseApiVersion(apiVersion);
    return await this.#found(
      (surface) => surface.of(apiVersion)?.find((one) => one.kind === kind),
      (surface) => unknownKind(this.#rest.server, surface, apiVersion, kind),
      options,
    );
  }

  /**
   * The resource that a person names, as kubectl takes it: `deployments`, `deployment`, `deploy`, `Deployment`, `deployments.apps`,
   * `deployments.v1.apps`. When several groups have it, the first one of the server's order counts, in its preferred version.
   * @throws {ListwatchError} code RESOURCE_UNKNOWN with the nearest names; DISCOVERY_STALE as `find`.
   */
  async named(text: string, options: DiscoveryCallOptions = {}): Promise<ApiResource> {
    SIGNAL_OPTIONS.read(options, 'named');
    checkText('named', text);
    return await this.#found(
      (surface) => surface.named(text),
      (surface) => unknownName(this.#rest.server, surface, text),
      options,
    );
  }

  /**
   * The resources of a category, such as `all`, each in its preferred version.
   * @throws {ListwatchError} code RESOURCE_UNKNOWN naming the categories that there are.
   */
  async category(
    name: string,
    options: DiscoveryCallOptions = {},
  ): Promise<readonly ApiResource[]> {
    SIGNAL_OPTIONS.read(options, 'category');
    checkText('category', name);
    return await this.#found(
      (surface) => {
        const found = surface.category(name);
        return found.length === 0 ? undefined : found;
      },
      (surface) => unknownCategory(this.#rest.server, surface, name),
      options,
    );
  }

  /** Forgets what was read. */
  forget(): void {
    this.#surface = undefined;
    this.#source.forget();
  }

  /** Looks into what is known, and once more into what the server says now. */
  async #found<R>(
    look: (surface: ApiSurface) => R | undefined,
    refuse: (surface: ApiSurface) => ListwatchError,
    { signal }: DiscoveryCallOptions,
  ): Promise<R> {
    const known = this.#surface;
    const found = known === undefined ? undefined : look(known);
    if (found !== undefined) return found;
    // Before anything is known, a read that is under way is as good as a new one.
    const reading = known === undefined ? (this.#running ?? this.#read()) : this.#read();
    const surface = await abortable(reading, signal);
    const now = look(surface);
    if (now === undefined) throw refuse(surface);
    return now;
  }

  /** A read that begins after this call. It has no signal, because callers share it. */
  #read(): Promise<ApiSurface> {
    this.#next ??= this.#readNext();
    return this.#next;
  }

  async #readNext(): Promise<ApiSurface> {
    try {
      await this.#running?.catch(() => undefined);
      const { runtime } = this.#rest;
      const nowMs = runtime.monotonicMs();
      const waitMs = this.#dueMs - (BURST - 1) * INTERVAL_MS - nowMs;
      this.#dueMs = Math.max(this.#dueMs, nowMs) + INTERVAL_MS;
      if (waitMs > 0) await sleep(runtime, waitMs);
      this.#running = this.#readNow();
    } finally {
      this.#next = undefined;
    }
    return await this.#running;
  }

  async #readNow(): Promise<ApiSurface> {
    try {
      const surface = new ApiSurface(await this.#source.read());
      this.#report(surface);
      this.#surface = surface;
      return surface;
    } finally {
      this.#running = undefined;
    }
  }

  /** Each API version that stops answering is reported once. */
  #report({ stale, refused }: ApiSurface): void {
    const { logger, server } = this.#rest;
    for (const apiVersion of stale) {
      if (this.#reported.has(apiVersion)) continue;
      logger.warn('discovery has no answer for an API version', { server, apiVersion });
    }
    this.#reported = stale;
    if (refused > 0) {
      logger.warn('discovery names resources that cannot exist; they are left out', {
        server,
        resources: refused,
      });
    }
  }
}

function checkText(owner: string, text: unknown): void {
  if (typeof text === 'string' && text !== '') return;
  throw new ListwatchError(
    'INVALID_OPTION',
    `${owner}: it takes a name such as "deployments", not ${text === '' ? 'an empty text' : typeof text}`,
  );
}
