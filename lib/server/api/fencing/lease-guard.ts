import { FENCE_HEADER, parseFenceHeader, type FenceToken } from '../../../meta/fence-token.ts';
import { ApiError, failure } from '../../../meta/failure/api-error.ts';
import { badRequest, isNotFound } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { ResourceRegistry } from '../../registry/contract/rest-storage.ts';
import { serverContext } from '../../registry/contract/server-context.ts';
import type { GuardedState, StorageGuard } from '../../storage/contract/storage-guard.ts';
import type { ApiRequest } from '../../http/api-request.ts';

/** The 409 of a write whose epoch is not that of its lease. */
export class EpochRefused extends ApiError {}

/** The part of the spec of a Lease that counts. */
interface LeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseTransitions?: number | null;
}

const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' } as const;

/**
 * The condition of a write that carries the epoch of a lease: the Lease is there, is held, and is at that epoch. It is compared in the
 * transaction of the write, so that no holder of an older epoch can write once a newer one is stored. Undefined for other requests.
 * @throws {ApiError} 400 for a header that cannot be read.
 */
export function leaseGuard(
  { method, headers }: ApiRequest,
  registry: ResourceRegistry,
): LeaseGuard | undefined {
  const text = headers[FENCE_HEADER];
  if (text === undefined || method === 'GET' || method === 'HEAD') return undefined;
  const token = parseFenceHeader(text);
  if (token === undefined) {
    const form = 'NAMESPACE/NAME; uid=UID; epoch=NUMBER';
    throw badRequest(`the header ${FENCE_HEADER} is not of the form ${form}`);
  }
  return new LeaseGuard(token, registry);
}

/** See `leaseGuard`. */
export class LeaseGuard implements StorageGuard {
  readonly #token: FenceToken;
  readonly #registry: ResourceRegistry;

  constructor(token: FenceToken, registry: ResourceRegistry) {
    this.#token = token;
    this.#registry = registry;
  }

  /** @throws {EpochRefused} */
  async current(): Promise<GuardedState> {
    const { namespace, name, uid, epoch } = this.#token;
    const { group, version, resource } = LEASES;
    const storage = this.#registry.lookup(group, version, resource)?.main;
    if (storage?.get === undefined) throw this.#refused('this server has no leases');
    let found: {
      readonly key: string;
      readonly resourceVersion: string;
      readonly object: UnstructuredObject;
    };
    try {
      found = await storage.get(serverContext(namespace), name, {});
    } catch (error) {
      if (isNotFound(error)) throw this.#refused('it does not exist');
      throw error;
    }
    const { metadata, spec } = found.object as UnstructuredObject & { readonly spec?: LeaseSpec };
    const at = spec?.leaseTransitions ?? 0;
    if (metadata?.uid !== uid) throw this.#refused('it was deleted and created again since');
    if (at !== epoch) throw this.#refused(`it is at epoch ${at}`);
    if ((spec?.holderIdentity ?? '') === '') throw this.#refused('it is held by no process');
    return { key: found.key, revision: BigInt(found.resourceVersion) };
  }

  #refused(why: string): EpochRefused {
    const { namespace, name, epoch } = this.#token;
    const text = `the write carries epoch ${epoch} of the lease ${namespace}/${name}, and ${why}: another process may lead; do not send it again`;
    const { status } = failure('Conflict', text, {
      details: { group: LEASES.group, kind: LEASES.resource, name },
    });
    return new EpochRefused(status);
  }
}
