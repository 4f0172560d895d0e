import { forbidden, isNotFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { HookParts } from '../../server/registry/contract/kind-definition.ts';
import { serverContext } from '../../server/registry/contract/server-context.ts';
import { numberAt, recordAt, textAt } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';

const PODS = { group: '', resource: 'pods' };
const PREEMPTION = 'PreemptLowerPriority';

export interface Priority {
  readonly value: number;
  readonly policy: string;
}

/** The classes that every cluster has, and no class. */
const KNOWN: ReadonlyMap<string, Priority> = new Map([
  ['', { value: 0, policy: PREEMPTION }],
  ['system-cluster-critical', { value: 2_000_000_000, policy: PREEMPTION }],
  ['system-node-critical', { value: 2_000_001_000, policy: PREEMPTION }],
]);

/** The priority that the stored class of a new pod says; undefined when the class is one of `KNOWN`. @throws {ApiError} 403. */
export async function findPriority(
  storeOf: HookParts['storeOf'],
  pod: UnstructuredObject,
): Promise<Priority | undefined> {
  const name = textAt(pod, 'spec', 'priorityClassName');
  if (KNOWN.has(name)) return undefined;
  try {
    const stored = await storeOf('scheduling.k8s.io', 'priorityclasses')?.get(
      serverContext(''),
      name,
    );
    if (stored === undefined) return undefined;
    const { object } = stored;
    const policy = textAt(object, 'preemptionPolicy') || PREEMPTION;
    return { value: numberAt(object, 'value'), policy };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw refusedPod(pod, `no PriorityClass with name ${name} was found`);
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
 * @param found The result of `findPriority`.
 * @throws {ApiError} 403 for a pod with another priority.
 * @see plugin/pkg/admission/priority @ v1.36.3
 */
export function setPriority(pod: MutableObject, found: Priority | undefined): void {
  const spec = recordAt(pod, 'spec');
  if (spec === undefined) return;
  const priority = found ?? KNOWN.get(textAt(spec, 'priorityClassName'));
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
