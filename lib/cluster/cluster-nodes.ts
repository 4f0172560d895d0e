import type { WaitOptions } from '../cache/informer/handlers/handler-registration.ts';
import type { Client } from '../client/rest/client.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import { drainNode } from './drain-node.ts';
import type { NodeLife } from './life/node-life.ts';

/**
 * The nodes that run in this process.
 *
 * @experimental
 */
export interface ClusterNodes {
  /**
   * Stops the kubelet of a node, as a crash of the machine or the loss of its network does: its lease gets old, and the status of its pods
   * stays as it is.
   * @throws {ListwatchError} code INVALID_OPTION for a node that is none of this process; NOT_STARTED when no kubelet runs in this cluster.
   */
  fail(name: string): Promise<void>;
  /** Starts the kubelet of a node again: it takes its pods over, and registers a node that was deleted. @throws as `fail`. */
  recover(name: string): void;
  /**
   * Cordons a node and evicts its pods, and resolves when they are gone; pods of DaemonSets stay. It waits two minutes unless `timeoutMs`
   * says otherwise.
   * @throws {ListwatchError} code TIMEOUT naming the pods that are left, and what keeps them; the reason of the signal.
   * @throws {ApiError} NOT_FOUND without such a node.
   */
  drain(name: string, options?: WaitOptions): Promise<void>;
}

/**
 * The pods that run in this process.
 *
 * @experimental
 */
export interface ClusterPods {
  /**
   * Ends a container of a pod, the first one unless it is named, as its process does that crashes with this code, 1 unless it is given. Its
   * restart policy says what follows.
   * @throws {ListwatchError} code INVALID_OPTION for a container that does not run; NOT_STARTED when no kubelet runs in this cluster.
   */
  crash(pod: {
    readonly namespace: string;
    readonly name: string;
    readonly container?: string | undefined;
    readonly exitCode?: number | undefined;
  }): void;
}

/** The parts that act on nodes and pods; each throws when there are none. */
interface ActingParts {
  readonly runtime: Runtime;
  readonly life: () => NodeLife;
  readonly client: () => Client;
}

export function clusterNodes({ runtime, life, client }: ActingParts): ClusterNodes {
  return {
    fail: async (name) => await life().fail(name),
    recover: (name) => life().recover(name),
    drain: async (name, options) => await drainNode(client(), runtime, name, options),
  };
}

export function clusterPods({ life }: Pick<ActingParts, 'life'>): ClusterPods {
  return { crash: (pod) => life().crash(pod) };
}
