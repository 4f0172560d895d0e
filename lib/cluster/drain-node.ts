import type { WaitOptions } from '../cache/informer/handlers/handler-registration.ts';
import type { Client } from '../client/rest/client.ts';
import type { ResourceClient } from '../client/rest/resource-client.ts';
import { is, optionsOf } from '../kernel/options/options-schema.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import { sleep, withDeadline } from '../kernel/time/wait.ts';
import { isNotFound, isTooManyRequests } from '../meta/failure/failures.ts';
import type { Stored } from '../meta/stored.ts';
import type { Pod } from '../types/built-in/core-v1-kinds.ts';

const OPTIONS = optionsOf<WaitOptions>()('drain', {
  timeoutMs: is.number({ min: 1 }).default(120_000),
  signal: is.abortSignal(),
});

/** A disruption budget may allow it then; as in `kubectl drain`. */
const ASK_AGAIN_AFTER_MS = 5000;
const MIRROR = 'kubernetes.io/config.mirror';

/**
 * Cordons a node and evicts its pods, and resolves when they are gone. Pods of DaemonSets and mirror pods stay, as with
 * `kubectl drain --ignore-daemonsets --force --delete-emptydir-data`.
 * @throws {ListwatchError} code INVALID_OPTION; TIMEOUT naming the pods that are left, and what keeps them; the reason of the signal.
 * @throws {ApiError} NOT_FOUND without such a node.
 */
export async function drainNode(
  client: Client,
  runtime: Runtime,
  node: string,
  options: WaitOptions = {},
): Promise<void> {
  const { timeoutMs, signal } = OPTIONS.read(options);
  const stop = new AbortController();
  const signals = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  /** By the names of the pods that are left: why. */
  const left = new Map<string, string>();
  const work = drain(client, { node, left, runtime, signal: signals });
  const describe = (): string =>
    `the end of the pods of node ${JSON.stringify(node)}: ${[...left].map(([name, why]) => `${name} (${why})`).join(', ')}`;
  try {
    await withDeadline(runtime, work, { timeoutMs, signal, describe });
  } finally {
    stop.abort();
    work.catch(() => {});
  }
}

interface Drain {
  readonly node: string;
  readonly left: Map<string, string>;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

async function drain(client: Client, options: Drain): Promise<void> {
  const { node, left, signal } = options;
  await client
    .resource('v1', 'nodes', { signal })
    .patch(node, { spec: { unschedulable: true } }, { type: 'merge' });
  const pods = client.resource<Pod>('v1', 'pods', { signal });
  const { items } = await pods.list({ fieldSelector: `spec.nodeName=${node}` });
  const evicted = items.filter(leaves);
  for (const { metadata } of evicted) left.set(`${metadata.namespace}/${metadata.name}`, 'evicted');
  await Promise.all(evicted.map((pod) => evict(client, pod, options)));
}

function leaves({ metadata }: Stored<Pod>): boolean {
  const owners = metadata.ownerReferences ?? [];
  const isOfDaemonSet = owners.some(
    ({ kind, controller }) => controller === true && kind === 'DaemonSet',
  );
  return !isOfDaemonSet && metadata.annotations?.[MIRROR] === undefined;
}

async function evict(client: Client, { metadata }: Stored<Pod>, options: Drain): Promise<void> {
  const { name, namespace, uid } = metadata;
  const { left, signal } = options;
  const pods = client.resource<Pod>('v1', 'pods', { namespace, signal });
  if (await askEviction(pods, { name, uid, label: `${namespace}/${name}` }, options)) {
    await pods.wait(name, (found) => found?.metadata.uid !== uid, { timeoutMs: Infinity });
  }
  left.delete(`${namespace}/${name}`);
}

interface EvictedPod {
  readonly name: string;
  readonly uid: string;
  readonly label: string;
}

/** Asks again while a disruption budget forbids it; resolves to whether there is a pod to wait for. */
async function askEviction(
  pods: ResourceClient<Pod>,
  { name, uid, label }: EvictedPod,
  { left, runtime, signal }: Drain,
): Promise<boolean> {
  for (;;) {
    try {
      await pods.evict(name, { preconditions: { uid } });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isTooManyRequests(error)) throw error;
      left.set(label, error.message);
      await sleep(runtime, ASK_AGAIN_AFTER_MS, { signal });
    }
  }
}
