import { forbidden, isNotFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { HookParts } from '../../server/registry/contract/kind-definition.ts';
import type { RequestContext } from '../../server/registry/contract/rest-storage.ts';
import { serverContext } from '../../server/registry/contract/server-context.ts';
import type { StoreHooks, WriteTarget } from '../../server/registry/contract/store-hooks.ts';
import { numberAt, recordAt, textAt } from '../../server/registry/rules/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';

const PODS = { group: '', resource: 'pods' };
const PREEMPTION = 'PreemptLowerPriority';

interface Priority {
  readonly value: number;
  readonly policy: string;
}

/** The classes that every cluster has, and no class. */
const KNOWN: ReadonlyMap<string, Priority> = new Map([
  ['', { value: 0, policy: PREEMPTION }],
  ['system-cluster-critical', { value: 2_000_000_000, policy: PREEMPTION }],
  ['system-node-critical', { value: 2_000_001_000, policy: PREEMPTION }],
]);

/** The classes of pods that are being created. */
const found = new WeakMap<object, Priority>();

/** Looks up the class of a new pod. */
export class PodPriority implements StoreHooks {
  readonly #storeOf: HookParts['storeOf'];

  constructor({ storeOf }: Pick<HookParts, 'storeOf'>) {
    this.#storeOf = storeOf;
  }

  /** @throws {ApiError} 403 for a pod whose class does not exist. */
  async authorize(
    _context: RequestContext,
    pod: UnstructuredObject,
    { existing }: WriteTarget,
  ): Promise<void> {
    const name = textAt(pod, 'spec', 'priorityClassName');
    if (existing !== undefined || KNOWN.has(name)) return;
    const store = this.#storeOf('scheduling.k8s.io', 'priorityclasses');
    if (store === undefined) return;
    try {
      const { object } = await store.get(serverContext(''), name);
      const policy = textAt(object, 'preemptionPolicy') || PREEMPTION;
      found.set(pod, { value: numberAt(object, 'value'), policy });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw refusedPod(pod, `no PriorityClass with name ${name} was found`);
    }
  }
}

/** The refusal of a pod. A name that the server generated is shown as the text that it was generated from. */
export function refusedPod(
  { metadata }: Pick<UnstructuredObject, 'metadata'>,
  reason: string,
): Error {
  const { name = '', generateName = '' } = metadata ?? {};
  const isGenerated =
    generateName !== '' && name.startsWith(generateName.slice(0, 58)) && name !== generateName;
  return forbidden(PODS, name === '' || isGenerated ? generateName : name, reason);
}

/**
 * Sets the priority that follows from the class of a new pod.
 * @throws {ApiError} 403 for a pod with another priority.
 * @see plugin/pkg/admission/priority @ v1.36.3
 */
export function setPriority(pod: MutableObject): void {
  const spec = recordAt(pod, 'spec');
  if (spec === undefined) return;
  const priority = found.get(pod) ?? KNOWN.get(textAt(spec, 'priorityClassName'));
  if (priority === undefined) return;
  const differs = (what: string, given: unknown, computed: unknown): Error =>
    refusedPod(
      pod,
      `the ${what} (${String(given)}) must not be provided in pod spec; priority admission controller computed ${String(computed)} from the given PriorityClass name`,
    );
  const { value, policy } = priority;
  const { priority: given = value, preemptionPolicy: way = policy } = spec;
  if (given !== value) throw differs('integer value of priority', given, value);
  if (way !== policy) throw differs('string value of PreemptionPolicy', way, policy);
  spec['priority'] = value;
  spec['preemptionPolicy'] = policy;
}

/** An update that leaves the priority out keeps it. */
export function keepPriority(pod: MutableObject, existing: MutableObject): void {
  const spec = recordAt(pod, 'spec');
  if (spec === undefined) return;
  for (const name of ['priority', 'preemptionPolicy']) {
    const before = recordAt(existing, 'spec')?.[name];
    if (before !== undefined) spec[name] ??= before;
  }
}
