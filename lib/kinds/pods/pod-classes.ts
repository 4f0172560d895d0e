import type { UnstructuredObject } from '../../meta/object.ts';
import type { HookParts } from '../../server/registry/contract/kind-definition.ts';
import type { JsonRecord } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { setTolerations } from './pod-admission.ts';
import { findPriority, setPriority, type Priority } from './pod-priority.ts';
import { findRuntimeClass, setRuntimeClass } from './pod-runtime-class.ts';

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
