import type { Client } from '../../client/rest/client.ts';
import type { ResourceClient } from '../../client/rest/resource-client.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { FENCE_HEADER, fenceHeader } from '../../meta/fence-token.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../meta/failure/failures.ts';
import type { Stored } from '../../meta/stored.ts';
import type { Lease, LeaseSpec } from '../../types/built-in/coordination-v1-kinds.ts';
import { INSTANCE_ANNOTATION, microTime, recordOf } from './lease-record.ts';
import { limitedCall, type LeaseCall } from './limited-call.ts';
import { PREEMPTION_ANNOTATION, preemptionText } from './preemption.ts';

export interface LeaseLockOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** This run of this process. */
  readonly instance: string;
  readonly leaseDurationMs: number;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly runtime: Runtime;
}

/** Leases of a namespace, without spans: renewals every few seconds would be most of the traces of a program. */
export function leasesOf(client: Client, namespace: string): ResourceClient<Lease> {
  return client.resource('coordination.k8s.io/v1', 'leases', { namespace, traced: false });
}

/** The requests for one Lease. Each ends within its time, and changes only the state that it was made from. */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #leases: ResourceClient<Lease>;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    const { client, namespace } = options;
    this.#leases = leasesOf(client, namespace);
  }

  get name(): string {
    return this.#options.name;
  }

  /** `NAMESPACE/NAME`, for messages. */
  get what(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }

  get leases(): ResourceClient<Lease> {
    return this.#leases;
  }

  /** Undefined: there is none. */
  async read(call: LeaseCall): Promise<Stored<Lease> | undefined> {
    return await this.#limited(call, async (signal) => {
      try {
        return await this.#leases.get(this.#options.name, { signal });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    });
  }

  /** Undefined: another replica has created it. */
  async create(call: LeaseCall): Promise<Stored<Lease> | undefined> {
    const { name, namespace, labels, instance } = this.#options;
    const annotations = { [INSTANCE_ANNOTATION]: instance };
    const metadata = { name, namespace, annotations, ...(labels === undefined ? {} : { labels }) };
    return await this.#limited(call, async (signal) => {
      try {
        return await this.#leases.create({ metadata, spec: this.#held(0) }, { signal });
      } catch (error) {
        if (isAlreadyExists(error)) return undefined;
        throw error;
      }
    });
  }

  /** Becomes its holder; a request of a replica with `preempt` is done with. Undefined: it has changed. */
  async take(
    lease: Stored<Lease>,
    epoch: number,
    call: LeaseCall,
  ): Promise<Stored<Lease> | undefined> {
    const { [PREEMPTION_ANNOTATION]: _, ...annotations } = lease.metadata.annotations ?? {};
    const asked = { ...lease, metadata: { ...lease.metadata, annotations } };
    return await this.#write(asked, this.#held(epoch), call);
  }

  /** Undefined: it has changed, or is gone. */
  async renew(lease: Stored<Lease>, call: LeaseCall): Promise<Stored<Lease> | undefined> {
    const renewTime = microTime(this.#options.runtime.wallMs());
    return await this.#write(lease, { ...lease.spec, renewTime }, call);
  }

  /** Gives it back. Undefined: it has changed. */
  async release(lease: Stored<Lease>, call: LeaseCall): Promise<Stored<Lease> | undefined> {
    const { holderIdentity: _, ...spec } = lease.spec ?? {};
    const { instance } = this.#options;
    const renewTime = microTime(this.#options.runtime.wallMs());
    // The coordinator of kube-apiserver 1.37 panics at a Lease of its own without the field, and takes an empty one.
    const isAssigned = (spec.strategy ?? '') !== '';
    const holder = isAssigned ? { holderIdentity: '' } : {};
    // As client-go: a candidate that sees no holder takes it at once, and others after a second.
    const released = { ...spec, ...holder, renewTime, leaseDurationSeconds: 1 };
    // The next holder may see only what the coordinator has made of it; the annotation would say that it was not given back.
    return await this.#write(lease, released, call, isAssigned ? '' : instance);
  }

  /** Asks its holder for it, who goes on for now. Undefined: it has changed. */
  async askFor(lease: Stored<Lease>, call: LeaseCall): Promise<Stored<Lease> | undefined> {
    const { identity, runtime } = this.#options;
    const text = preemptionText(identity, runtime.wallMs());
    const annotations = { ...lease.metadata.annotations, [PREEMPTION_ANNOTATION]: text };
    return await this.#update({ ...lease, metadata: { ...lease.metadata, annotations } }, call);
  }

  /** Whether the server refuses a write that carries an epoch before that of the lease. The write is a dry run. */
  async isFenced(lease: Stored<Lease>, call: LeaseCall): Promise<boolean> {
    const { client, namespace, name, leaseDurationMs } = this.#options;
    const { uid, epoch: present } = recordOf(lease, leaseDurationMs);
    // There is none before 0; the server compares, and takes no other than the present one.
    const epoch = present === 0 ? 1 : present - 1;
    let wasRefused = false;
    const probe = client.fencedBy({
      check: () => {},
      validUntilMs: Infinity,
      lost: new AbortController().signal,
      headers: { [FENCE_HEADER]: fenceHeader({ namespace, name, uid, epoch }) },
      refused: () => {
        wasRefused = true;
        return new ListwatchError('LEADERSHIP_LOST', 'a probe');
      },
    });
    const leases = leasesOf(probe, namespace);
    return await this.#limited(call, async (signal) => {
      try {
        await leases.patch(name, { metadata: { labels: {} } }, { dryRun: true, signal });
      } catch (error) {
        if (!wasRefused) throw error;
      }
      return wasRefused;
    });
  }

  #held(epoch: number): LeaseSpec {
    const { identity, leaseDurationMs, runtime } = this.#options;
    const now = microTime(runtime.wallMs());
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseDurationMs / 1000,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: epoch,
    };
  }

  /** Fields that this package does not know stay as they are. */
  async #write(
    lease: Stored<Lease>,
    spec: LeaseSpec,
    call: LeaseCall,
    instance: string = this.#options.instance,
  ): Promise<Stored<Lease> | undefined> {
    const { [INSTANCE_ANNOTATION]: _, ...others } = lease.metadata.annotations ?? {};
    const annotations = instance === '' ? others : { ...others, [INSTANCE_ANNOTATION]: instance };
    const object = {
      ...lease,
      metadata: { ...lease.metadata, annotations },
      spec: { ...lease.spec, ...spec },
    };
    if (!('holderIdentity' in spec)) delete object.spec.holderIdentity;
    return await this.#update(object, call);
  }

  async #update(object: Stored<Lease>, call: LeaseCall): Promise<Stored<Lease> | undefined> {
    return await this.#limited(call, async (signal) => {
      try {
        return await this.#leases.update(object, { signal });
      } catch (error) {
        if (isConflict(error) || isNotFound(error)) return undefined;
        throw error;
      }
    });
  }

  async #limited<R>(call: LeaseCall, work: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const { runtime } = this.#options;
    return await limitedCall(runtime, `the lease ${this.what}`, call, work);
  }
}
