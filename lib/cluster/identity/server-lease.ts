import { createHash } from 'node:crypto';
import type { Client } from '../../client/rest/client.ts';
import type { ResourceClient } from '../../client/rest/resource-client.ts';
import { leasesOf } from '../../controller/election/lease-lock.ts';
import { microTime } from '../../controller/election/lease-record.ts';
import { randomUuid } from '../../kernel/time/random.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../meta/failure/failures.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Lease } from '../../types/built-in/coordination-v1-kinds.ts';

const NAMESPACE = 'kube-system';
/** Names the component in the lease, and is part of what its name is a hash of. */
const COMPONENT = 'kube-apiserver';
const LEASE_SECONDS = 3600;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

export interface ServerLeaseOptions {
  readonly client: Client;
  /** The name of the machine. */
  readonly host: string;
  readonly runtime: Runtime;
}

/**
 * The lease by which a kube-apiserver shows that it is there: `kube-system/apiserver-HASH`, with a hash of the name of the machine.
 * @see kubernetes pkg/controlplane/apiserver/server.go labelAPIServerHeartbeatFunc @ v1.37.2
 */
export class ServerLease {
  readonly #options: ServerLeaseOptions;
  readonly #leases: ResourceClient<Lease>;
  readonly #name: string;
  readonly #holder: string;
  #latest: Stored<Lease> | undefined;

  constructor(options: ServerLeaseOptions) {
    const { client, host, runtime } = options;
    this.#options = options;
    this.#leases = leasesOf(client, NAMESPACE);
    this.#name = leaseName(host);
    this.#holder = `${this.#name}_${randomUuid(runtime)}`;
  }

  /**
   * Writes the time into the lease, and creates it if it is missing. A lease that another client has changed is read, and renewed by
   * the next call. @throws {ApiError}
   */
  async renew(signal: AbortSignal): Promise<void> {
    const latest = this.#latest;
    try {
      this.#latest =
        latest === undefined
          ? await this.#leases.create(this.#renewed({}), { signal })
          : await this.#leases.update({ ...latest, ...this.#renewed(latest) }, { signal });
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error) && !isAlreadyExists(error)) throw error;
      this.#latest = await this.#find(signal);
    }
  }

  /** Deletes the lease, also one of an earlier server on this machine. @throws {ApiError} */
  async remove(signal?: AbortSignal): Promise<void> {
    this.#latest = undefined;
    await this.#leases.delete(this.#name, { ignoreNotFound: true, signal });
  }

  async #find(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    try {
      return await this.#leases.get(this.#name, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #renewed({ metadata, spec }: Lease): Lease {
    const { host, runtime } = this.#options;
    const labels = {
      ...metadata?.labels,
      'apiserver.kubernetes.io/identity': COMPONENT,
      'kubernetes.io/hostname': host,
    };
    const renewTime = microTime(runtime.wallMs());
    return {
      metadata: { ...metadata, name: this.#name, labels },
      spec: {
        holderIdentity: this.#holder,
        ...spec,
        leaseDurationSeconds: LEASE_SECONDS,
        renewTime,
      },
    };
  }
}

/** @see apiserver pkg/server/config.go NewConfig @ v0.37.2 */
function leaseName(host: string): string {
  const hash = createHash('sha256').update(`${host}${COMPONENT}`).digest().subarray(0, 16);
  return `apiserver-${base32(hash)}`;
}

/** RFC 4648 in lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let rest = 0;
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(rest >> bits) & 31];
    }
    rest &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32[(rest << (5 - bits)) & 31];
}
