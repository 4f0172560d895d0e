import { errorMessage } from '../../../kernel/failure/errors.ts';
import type { Timer } from '../../../kernel/time/runtime.ts';
import { isAlreadyExists, isNotFound } from '../../../meta/failure/failures.ts';
import type { Lease } from '../../../types/built-in/coordination-v1-kinds.ts';
import type { Node } from '../../../types/built-in/core-v1-kinds.ts';
import type { Client } from '../../../client/rest/client.ts';
import type { ClusterParts } from '../../resources/cluster-parts.ts';
import type { LifeClock } from '../clock/life-clock.ts';
import {
  LAZY_LEASE_SECONDS,
  LEASE_NAMESPACE,
  LEASE_SECONDS,
  leaseSpec,
  nodeLease,
  RENEW_EVERY_MS,
} from './node-object.ts';

/**
 * When the leases of nodes are renewed.
 *
 * | mode | a node that runs | a node that fails |
 * |---|---|---|
 * | `lazy` | its lease is written when it starts, and holds for ever (`leaseDurationSeconds` is the largest one) | its lease gets the present time and 40 s |
 * | `periodic` | its lease is renewed every 10 s, and holds for 40 s | its lease is not renewed |
 *
 * So a program that counts from `renewTime` for `leaseDurationSeconds` sees the same in both: a node is lost some 40 s after its failure. Lazy
 * leases cost nothing while nothing happens, however many nodes there are. A program that only looks whether `renewTime` has grown, as
 * kube-controller-manager does, needs periodic ones.
 */
export type HeartbeatMode = 'lazy' | 'periodic';

export interface NodeHeartbeatsOptions extends ClusterParts {
  readonly client: Client;
  readonly clock: LifeClock;
  readonly mode: HeartbeatMode;
}

/** The leases of nodes. */
export class NodeHeartbeats {
  readonly #options: NodeHeartbeatsOptions;
  readonly #alive = new Set<string>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: NodeHeartbeatsOptions) {
    this.#options = options;
  }

  /** The node is alive. */
  async begin(node: Node, signal: AbortSignal): Promise<void> {
    const { client, clock, mode } = this.#options;
    const name = node.metadata?.name ?? '';
    const seconds = mode === 'lazy' ? LAZY_LEASE_SECONDS : LEASE_SECONDS;
    const lease = nodeLease(node, clock.nowMs(), seconds);
    const leases = client.resource<Lease>('coordination.k8s.io/v1', 'leases', {
      namespace: LEASE_NAMESPACE,
      signal,
    });
    try {
      await leases.create(lease);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const { ownerReferences } = lease.metadata ?? {};
      await leases.patch(name, { metadata: { ownerReferences }, spec: lease.spec });
    }
    this.#alive.add(name);
    this.#plan();
  }

  /** The node has failed: its last heartbeat was now. */
  async fail(name: string): Promise<void> {
    this.forget(name);
    if (this.#options.mode === 'lazy') await this.#renew(name);
  }

  /** No heartbeat of it follows. */
  forget(name: string): void {
    this.#alive.delete(name);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #plan(): void {
    const { mode, runtime } = this.#options;
    if (mode === 'lazy' || this.#timer !== undefined || this.#isClosed) return;
    // In the background: heartbeats are no activity.
    this.#timer = runtime.setTimer(RENEW_EVERY_MS, () => void this.#beat(), { background: true });
  }

  async #beat(): Promise<void> {
    const { logger } = this.#options;
    try {
      await Promise.all([...this.#alive].map((name) => this.#renew(name)));
    } catch (error) {
      logger.warn('leases of nodes were not renewed', { error: errorMessage(error) });
    }
    this.#timer = undefined;
    if (this.#alive.size > 0) this.#plan();
  }

  async #renew(name: string): Promise<void> {
    const { client, clock } = this.#options;
    const namespace = LEASE_NAMESPACE;
    const leases = client.resource<Lease>('coordination.k8s.io/v1', 'leases', { namespace });
    try {
      await leases.patch(name, { spec: leaseSpec(name, clock.nowMs(), LEASE_SECONDS) });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
