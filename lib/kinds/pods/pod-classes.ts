import type { UnstructuredObject } from '../../meta/object.ts';
import type { HookParts } from '../../server/registry/contract/kind-definition.ts';
import { jsonEqual, recordAt, recordsAt, textAt, type JsonRecord } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { setTolerations } from './pod-admission.ts';
import { findPriority, setPriority, refusedPod, type Priority } from './pod-priority.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import { serverContext } from '../../server/registry/contract/server-context.ts';

/** The runtime class of a new pod; undefined when it names none. @throws {ApiError} 403. */
async function findRuntimeClass(
  storeOf: HookParts['storeOf'],
  pod: UnstructuredObject,
): Promise<JsonRecord | undefined> {
  const name = textAt(pod, 'spec', 'runtimeClassName');
  if (name === '') return undefined;
  try {
    return (await storeOf('node.k8s.io', 'runtimeclasses')?.get(serverContext(''), name))?.object;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw refusedPod(pod, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  }
}

/**
 * Sets the overhead and the placement of a new pod that follow from its runtime class.
 * @param runtime The result of `findRuntimeClass`.
 * @throws {ApiError} 403 for a pod that says something else.
 * @see plugin/pkg/admission/runtimeclass/admission.go @ v1.36.3
 */
function setRuntimeClass(pod: MutableObject, runtime: JsonRecord | undefined): void {
  const spec = recordAt(pod, 'spec');
  if (spec === undefined) return;
  const fixed = recordAt(runtime, 'overhead', 'podFixed');
  const given = recordAt(spec, 'overhead');
  if (fixed === undefined) {
    if (given === undefined) return placeByRuntime(pod, spec, runtime);
    const rule = 'Pod Overhead set without corresponding RuntimeClass defined Overhead';
    throw refusedPod(pod, `pod rejected: ${rule}`);
  }
  if (given !== undefined && !jsonEqual(given, fixed)) {
    const rule = "Pod's Overhead doesn't match RuntimeClass's defined Overhead";
    throw refusedPod(pod, `pod rejected: ${rule}`);
  }
  spec['overhead'] = structuredClone(fixed);
  placeByRuntime(pod, spec, runtime);
}

function placeByRuntime(
  pod: MutableObject,
  spec: JsonRecord,
  runtime: JsonRecord | undefined,
): void {
  const scheduling = recordAt(runtime, 'scheduling');
  if (scheduling === undefined) return;
  const nodes = recordAt(scheduling, 'nodeSelector') ?? {};
  const own = recordAt(spec, 'nodeSelector') ?? {};
  for (const key of Object.keys(nodes).toSorted()) {
    if (!Object.hasOwn(own, key) || own[key] === nodes[key]) continue;
    const [theirs, ours] = [textAt(nodes, key), textAt(own, key)];
    throw refusedPod(
      pod,
      `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${theirs}; pod.spec.nodeSelector[${key}] = ${ours}`,
    );
  }
  if (Object.keys(nodes).length > 0) spec['nodeSelector'] = { ...own, ...nodes };
  const tolerations = recordsAt(spec, 'tolerations');
  const added = recordsAt(scheduling, 'tolerations').filter(
    (one) => !tolerations.some((other) => jsonEqual(one, other)),
  );
  if (added.length > 0) spec['tolerations'] = [...tolerations, ...structuredClone(added)];
}

/** The stored classes that a new pod names. */
export interface PodClasses {
  readonly priority: Priority | undefined;
  readonly runtime: JsonRecord | undefined;
}

/** @throws {ApiError} 403 for a pod whose class does not exist. */
export async function findClasses(
  storeOf: HookParts['storeOf'],
  pod: UnstructuredObject,
): Promise<PodClasses> {
  return {
    priority: await findPriority(storeOf, pod),
    runtime: await findRuntimeClass(storeOf, pod),
  };
}

/** Sets the priority, tolerations, overhead and placement of a new pod. @throws {ApiError} 403 for a pod that says something else. */
export function setClasses(pod: MutableObject, { priority, runtime }: PodClasses): void {
  setPriority(pod, priority);
  setTolerations(pod);
  setRuntimeClass(pod, runtime);
}
