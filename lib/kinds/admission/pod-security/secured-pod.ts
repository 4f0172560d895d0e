import { recordAt, recordsAt, textAt, type JsonRecord } from '../../../meta/json-value.ts';

/** The parts of a pod, or of a template of pods, that security standards are about. */
export interface SecuredPod {
  readonly annotations: JsonRecord;
  readonly spec: JsonRecord;
  /** Init containers, containers, ephemeral containers. */
  readonly containers: readonly JsonRecord[];
}

/** @param holder A pod, or its template. */
export function securedPodOf(holder: unknown): SecuredPod {
  const spec = recordAt(holder, 'spec') ?? {};
  const containers = ['initContainers', 'containers', 'ephemeralContainers'];
  return {
    annotations: recordAt(holder, 'metadata', 'annotations') ?? {},
    spec,
    containers: containers.flatMap((name) => recordsAt(spec, name)),
  };
}

/** Why a check forbids a pod. */
export interface Violation {
  /** A few words, for lists of pods. */
  readonly reason: string;
  /** The values that are forbidden, and where they are. */
  readonly detail: string;
}

/** One rule of a standard; undefined when the pod keeps it. */
export type PodCheck = (pod: SecuredPod) => Violation | undefined;

/** The names of containers for which something holds, in their order. */
export function containersThat(
  { containers }: SecuredPod,
  holds: (container: JsonRecord) => boolean,
): string[] {
  return containers.filter(holds).map((one) => textAt(one, 'name'));
}

/** `"a", "b"`. */
export function joinQuoted(texts: Iterable<string>): string {
  return [...texts].map((one) => `"${one}"`).join(', ');
}

/** Each value once, in the order of their characters. */
export function sortedOnce(values: Iterable<string>): string[] {
  return [...new Set(values)].toSorted();
}

/** `container "a"`, or `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${counted('container', names)} ${joinQuoted(names)}`;
}

/** `pod and containers "a", "b"`. */
export function settersText(isPod: boolean, names: readonly string[]): string {
  const containers = names.length === 0 ? [] : [containersText(names)];
  return [...(isPod ? ['pod'] : []), ...containers].join(' and ');
}

/** The noun, with an s unless there is exactly one. */
export function counted(noun: string, things: { readonly length: number }): string {
  return things.length === 1 ? noun : `${noun}s`;
}

/** The verb of the noun that `counted` returns. */
export function use(things: { readonly length: number }): string {
  return things.length === 1 ? 'uses' : 'use';
}

/** The check for pods whose users are those of the host. */
export function ofHostUsers(check: PodCheck): PodCheck {
  return (pod) => (pod.spec['hostUsers'] === false ? undefined : check(pod));
}

/** The check for pods that are not of Windows, which has no such settings. */
export function notOfWindows(check: PodCheck): PodCheck {
  return (pod) => (textAt(pod.spec, 'os', 'name') === 'windows' ? undefined : check(pod));
}

/** Where a field of the security contexts has a forbidden value, and the sentence about it. */
export function forbiddenInContexts(
  pod: SecuredPod,
  isForbidden: (context: JsonRecord) => boolean,
  say: (setters: string) => Violation,
): Violation | undefined {
  const isPod = isForbidden(securityContextOf(pod.spec));
  const names = containersThat(pod, (one) => isForbidden(securityContextOf(one)));
  return isPod || names.length > 0 ? say(settersText(isPod, names)) : undefined;
}

/** Of a container or of the spec of a pod; empty when there is none. */
export function securityContextOf(holder: JsonRecord): JsonRecord {
  return recordAt(holder, 'securityContext') ?? {};
}
