import { LRUCache } from 'lru-cache';
import { abortable } from '../../kernel/abort.ts';
import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/errors.ts';
import { nearName } from '../../kernel/near-name.ts';
import { plainText } from '../../kernel/plain-text.ts';
import { isApiError, isNotFound } from '../../meta/failures.ts';
import { apiVersionOf, parseApiVersion, type ResourceInfo } from '../../meta/resource.ts';
import { checkCallOptions } from './request/call-options.ts';
import type { RestClient } from './request/rest-client.ts';

export interface DiscoveryCallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The most API versions in the cache; a large cluster has about 200. */
const REMEMBERED_API_VERSIONS = 512;

/** The length of a list of kinds in a message, characters. */
const LONGEST_LIST = 200;

const IS_INSTALLED = 'is its CustomResourceDefinition installed?';

interface GroupList {
  readonly groups?: readonly {
    readonly versions?: readonly { readonly groupVersion: string }[] | null;
  }[];
}

interface CoreVersions {
  readonly versions?: readonly string[] | null;
}

interface ResourceList {
  readonly resources?:
    | readonly {
        readonly name: string;
        readonly kind: string;
        readonly namespaced: boolean;
        readonly group?: string;
        readonly version?: string;
      }[]
    | null;
}

/**
 * Finds the resources that a server serves.
 *
 * Answers are cached for each API version. If a kind is missing from a cached answer, the server is asked again, so a custom
 * resource that was just created is found.
 */
export class Discovery {
  readonly #rest: RestClient;
  readonly #remembered = new LRUCache<string, Promise<readonly ResourceInfo[]>>({
    max: REMEMBERED_API_VERSIONS,
  });

  /** Use `client.discovery`. */
  constructor(rest: RestClient) {
    this.#rest = rest;
  }

  /**
   * All resources that the server serves, without subresources, the core group first. Always asks for the API versions.
   *
   * If the server cannot answer for an API version (the service of an aggregated API is down), that version is left out and
   * logged, so that the others are still returned.
   */
  async resources(options: DiscoveryCallOptions = {}): Promise<readonly ResourceInfo[]> {
    checkCallOptions('resources', options, ['signal']);
    const { signal } = options;
    const [core, named] = await Promise.all([
      this.#rest.json<CoreVersions>({ method: 'GET', path: '/api', signal }),
      this.#rest.json<GroupList>({ method: 'GET', path: '/apis', signal }),
    ]);
    const apiVersions = [
      ...(core.versions ?? []),
      ...(named.groups ?? []).flatMap((group) =>
        (group.versions ?? []).map((version) => version.groupVersion),
      ),
    ];
    const lists = await Promise.all(apiVersions.map((one) => this.#orNothing(one, signal)));
    return lists.flat();
  }

  /**
   * The resource of an `apiVersion` and `kind`, as written in a manifest.
   * @throws {ListwatchError} code RESOURCE_UNKNOWN naming what is missing; INVALID_API_VERSION.
   */
  async find(
    apiVersion: string,
    kind: string,
    options: DiscoveryCallOptions = {},
  ): Promise<ResourceInfo> {
    checkCallOptions('find', options, ['signal']);
    const { signal } = options;
    const remembered = this.#remembered.has(apiVersion);
    let resources = await this.#ofApiVersion(apiVersion, signal);
    let found = resources.find((one) => one.kind === kind);
    if (found === undefined && remembered) {
      this.#remembered.delete(apiVersion);
      resources = await this.#ofApiVersion(apiVersion, signal);
      found = resources.find((one) => one.kind === kind);
    }
    if (found !== undefined) return found;
    const kinds = resources.map((one) => one.kind);
    const problem = `${this.#rest.server} serves no kind ${kind} in ${apiVersion}`;
    const near = meantKind(kind, resources) ?? nearName(kind, kinds);
    if (near !== undefined) throw unknown(problem, `did you mean "${near}"?`);
    const list = plainText(kinds.join(', '), LONGEST_LIST);
    throw unknown(`${problem}, only: ${list}`, IS_INSTALLED);
  }

  /** Forgets all answers. */
  forget(): void {
    this.#remembered.clear();
  }

  async #orNothing(
    apiVersion: string,
    signal: AbortSignal | undefined,
  ): Promise<readonly ResourceInfo[]> {
    try {
      return await this.#ofApiVersion(apiVersion, signal);
    } catch (error) {
      if (!isApiError(error) && !isListwatchError(error, 'RESOURCE_UNKNOWN')) throw error;
      this.#rest.logger.warn('discovery leaves out an API version', {
        server: this.#rest.server,
        apiVersion,
        error: errorMessage(error),
      });
      return [];
    }
  }

  /** Callers share one request, so it has no signal; each caller stops waiting when its own signal aborts. */
  async #ofApiVersion(
    apiVersion: string,
    signal: AbortSignal | undefined,
  ): Promise<readonly ResourceInfo[]> {
    let request = this.#remembered.get(apiVersion);
    if (request === undefined) {
      request = this.#fetch(apiVersion);
      this.#remembered.set(apiVersion, request);
      const mine = request;
      request.catch(() => {
        if (this.#remembered.peek(apiVersion) === mine) this.#remembered.delete(apiVersion);
      });
    }
    return await abortable(request, signal);
  }

  async #fetch(apiVersion: string): Promise<readonly ResourceInfo[]> {
    const own = parseApiVersion(apiVersion);
    const path = own.group === '' ? `/api/${apiVersionOf(own)}` : `/apis/${apiVersionOf(own)}`;
    try {
      const list = await this.#rest.json<ResourceList>({ method: 'GET', path });
      return (list.resources ?? [])
        .filter(({ name }) => !name.includes('/'))
        .map(({ name, kind, namespaced, group, version }) => ({
          group: group || own.group,
          version: version || own.version,
          kind,
          resource: name,
          namespaced,
        }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw unknown(`${this.#rest.server} does not serve ${apiVersion}`, IS_INSTALLED);
    }
  }
}

function unknown(problem: string, remedy: string): ListwatchError {
  return new ListwatchError('RESOURCE_UNKNOWN', `${problem}; ${remedy}`);
}

/** The kind of somebody who gives the plural, or the kind in other letters. */
function meantKind(asked: string, resources: readonly ResourceInfo[]): string | undefined {
  const lower = asked.toLowerCase();
  return resources.find(({ kind, resource }) => resource === lower || kind.toLowerCase() === lower)
    ?.kind;
}
