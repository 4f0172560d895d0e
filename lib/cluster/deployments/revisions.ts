import type { Deployment, ReplicaSet } from '../../types/built-in/apps-v1-kinds.ts';
import { byCreation, fenceposts, wantedReplicas, type StoredSet } from './replica-counts.ts';

const PREFIX = 'deployment.kubernetes.io/';
/** The number of the rollout, on the Deployment and its ReplicaSets. `kubectl rollout` reads it. */
export const REVISION: string = `${PREFIX}revision`;
const REVISION_HISTORY = `${PREFIX}revision-history`;
const DESIRED_REPLICAS = `${PREFIX}desired-replicas`;
const MAX_REPLICAS = `${PREFIX}max-replicas`;

/** The annotations of a Deployment that its ReplicaSets do not get. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);
const LONGEST_HISTORY = 2000;
const LARGEST_COUNT = 2 ** 31 - 1;

type Annotations = Readonly<Record<string, string>>;

const LARGEST_REVISION = 2n ** 63n - 1n;
const NUMBER = /^\+?(-?\d{1,30})$/;

/** The revision of a ReplicaSet, an int64: 0 without one, undefined if it is no number. */
export function revisionOf({ metadata }: ReplicaSet): bigint | undefined {
  const text = metadata?.annotations?.[REVISION];
  return text === undefined ? 0n : revisionIn(text);
}

function revisionIn(text: string): bigint | undefined {
  const digits = NUMBER.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const revision = BigInt(digits);
  return revision <= LARGEST_REVISION && -revision <= LARGEST_REVISION ? revision : undefined;
}

/** The revision after those of the old ReplicaSets. */
export function nextRevision(oldSets: readonly ReplicaSet[]): bigint {
  let largest = 0n;
  for (const set of oldSets) {
    const revision = revisionOf(set) ?? 0n;
    if (revision > largest) largest = revision;
  }
  return largest + 1n;
}

/** The oldest revision first. */
export function byRevision(one: StoredSet, other: StoredSet): number {
  const [first, second] = [revisionOf(one), revisionOf(other)];
  if (first === undefined || second === undefined || first === second)
    return byCreation(one, other);
  return first < second ? -1 : 1;
}

/** The counts by which a later run recognizes that the Deployment was scaled. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const wanted = wantedReplicas(deployment);
  return {
    [DESIRED_REPLICAS]: String(wanted),
    [MAX_REPLICAS]: String(wanted + fenceposts(deployment).maxSurge),
  };
}

/** The replicas of the Deployment when the ReplicaSet was scaled last; undefined if it does not say. */
export function desiredReplicas(set: ReplicaSet): number | undefined {
  return countOf(set, DESIRED_REPLICAS);
}

/** The most pods of the Deployment when the ReplicaSet was scaled last. */
export function maxReplicas(set: ReplicaSet): number | undefined {
  return countOf(set, MAX_REPLICAS);
}

function countOf({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata?.annotations?.[annotation] ?? '';
  const count = /^\d+$/.test(text) ? Number(text) : undefined;
  return count !== undefined && count <= LARGEST_COUNT ? count : undefined;
}

/**
 * The annotations that the newest ReplicaSet lacks: those of the Deployment, and its revision. One that served an earlier revision keeps
 * that in its history.
 * @see kubernetes pkg/controller/deployment/util/deployment_util.go SetNewReplicaSetAnnotations @ v1.37.2
 */
export function missingAnnotations(
  deployment: Deployment,
  present: Annotations,
  revision: bigint,
): Annotations {
  const own = Object.entries(deployment.metadata?.annotations ?? {});
  const copied = own.filter(([name, value]) => !NOT_COPIED.has(name) && present[name] !== value);
  return { ...Object.fromEntries(copied), ...revised(present, revision) };
}

function revised(present: Annotations, revision: bigint): Annotations {
  const { [REVISION]: before = '', [REVISION_HISTORY]: history = '' } = present;
  const earlier = before === '' ? 0n : revisionIn(before);
  if (earlier === undefined || earlier >= revision) return {};
  const next = { [REVISION]: String(revision) };
  if (present[REVISION] === undefined) return next;
  const kept = history === '' ? [] : history.split(',');
  while (kept.length > 0 && [...kept, before].join(',').length > LONGEST_HISTORY) kept.shift();
  return { ...next, [REVISION_HISTORY]: [...kept, before].join(',') };
}
