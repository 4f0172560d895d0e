import { errorMessage } from '../../../kernel/failure/errors.ts';
import { isApiError, isNotFound } from '../../../meta/failure/failures.ts';
import { apiVersionOf, type GroupVersion } from '../../../meta/resource.ts';
import { TransportError } from '../../transport/contract/transport-error.ts';
import {
  readGroupDiscovery,
  readGroups,
  readResources,
  type ServedGroup,
  type ServedResource,
} from '../explain/read-discovery.ts';
import type { RestClient } from '../request/rest-client.ts';

const JSON_TYPE = 'application/json';
const aggregated = (version: string): string =>
  `${JSON_TYPE};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
/** v2 since 1.30, v2beta1 since 1.26; the documents of both have what is read here. */
const ANY_TYPE = [aggregated('v2'), aggregated('v2beta1'), JSON_TYPE].join(',');

/** Requests at a time, to a server without aggregated discovery. */
const AT_A_TIME = 8;

interface Kept {
  readonly etag: string;
  readonly groups: readonly ServedGroup[];
}

/**
 * Reads the discovery documents of a server: two with all resources, or, from a server older than 1.26, one for each API version. A
 * document with an ETag is sent again only when it has changed.
 * @see client-go discovery/aggregated_discovery.go, KEP-3352
 */
export class DiscoverySource {
  readonly #rest: RestClient;
  readonly #kept = new Map<string, Kept>();

  constructor(rest: RestClient) {
    this.#rest = rest;
  }

  /** Forgets the documents. */
  forget(): void {
    this.#kept.clear();
  }

  /**
   * All groups, the core group first. A version whose server does not answer is marked as stale.
   * @throws {ApiError} when the server refuses. {TransportError} when there is no usable answer.
   */
  async read(): Promise<readonly ServedGroup[]> {
    // An extension server that is asked directly has no core group.
    const [core, named] = await Promise.all([
      this.#groups('/api').catch((error: unknown) => {
        if (isNotFound(error)) return [];
        throw error;
      }),
      this.#groups('/apis'),
    ]);
    return [...core, ...named];
  }

  async #groups(path: string): Promise<readonly ServedGroup[]> {
    const kept = this.#kept.get(path);
    const answer = await this.#document(path, kept?.etag);
    if (answer === undefined && kept !== undefined) return kept.groups;
    const groups = readGroupDiscovery(answer?.value);
    if (groups === undefined) return await this.#oneByOne(path, readGroups(answer?.value));
    const etag = answer?.etag;
    if (etag === undefined) this.#kept.delete(path);
    else this.#kept.set(path, { etag, groups });
    return groups;
  }

  async #document(path: string, etag: string | undefined): ReturnType<RestClient['document']> {
    const request = { method: 'GET', path, etag } as const;
    try {
      return await this.#rest.document({ ...request, accept: ANY_TYPE });
    } catch (error) {
      if (!isApiError(error) || error.code !== 'NOT_ACCEPTABLE') throw error;
      return await this.#rest.document({ method: 'GET', path });
    }
  }

  /** The resources of each version, for groups that came without. */
  async #oneByOne(
    path: string,
    groups: readonly ServedGroup[] | undefined,
  ): Promise<readonly ServedGroup[]> {
    if (groups === undefined) throw this.#malformed(path);
    const all = groups.flatMap(({ name: group, versions }) =>
      versions.map(({ version }) => ({ group, version })),
    );
    const read = new Map<string, readonly ServedResource[] | undefined>();
    const left = all.values();
    const worker = async (): Promise<void> => {
      for (const one of left) read.set(apiVersionOf(one), await this.#resources(one));
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, worker));
    return groups.map(({ name, versions }) => ({
      name,
      versions: versions.map(({ version }) => {
        const resources = read.get(apiVersionOf({ group: name, version }));
        return { version, resources, isStale: resources === undefined };
      }),
    }));
  }

  /** Undefined if the server has no answer for this version, although it serves it. */
  async #resources(one: GroupVersion): Promise<readonly ServedResource[] | undefined> {
    const path = `/${one.group === '' ? 'api' : 'apis'}/${apiVersionOf(one)}`;
    try {
      const resources = readResources(await this.#rest.json({ method: 'GET', path }));
      if (resources === undefined) throw this.#malformed(path);
      return resources;
    } catch (error) {
      // A version that went away in between.
      if (isNotFound(error)) return [];
      const isOnlyThis =
        isApiError(error) ||
        (error instanceof TransportError && error.code === 'MALFORMED_RESPONSE');
      if (!isOnlyThis) throw error;
      this.#rest.logger.debug('no discovery document', { path, error: errorMessage(error) });
      return undefined;
    }
  }

  #malformed(path: string): TransportError {
    const problem = 'the answer is no discovery document; check the server address';
    return new TransportError(
      'MALFORMED_RESPONSE',
      this.#rest.target({ method: 'GET', path }),
      problem,
    );
  }
}
