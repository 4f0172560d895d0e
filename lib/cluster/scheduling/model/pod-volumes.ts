import type { Stored } from '../../../meta/stored.ts';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from '../../../types/built-in/core-v1-kinds.ts';
import type { StorageClass } from '../../../types/built-in/storage-v1-kinds.ts';
import { selectorOf } from './affinity-terms.ts';
import { amountOf } from './amounts.ts';
import type { NodeInfo } from './node-info.ts';
import { anyTerm } from './node-matching.ts';

export type Claim = Stored<PersistentVolumeClaim>;
export type Volume = Stored<PersistentVolume>;

/** Claims, volumes and classes, with the choices of the scheduler that are not written yet. */
export interface VolumeLookup {
  claim(namespace: string, name: string): Claim | undefined;
  volume(name: string): Volume | undefined;
  volumes(): readonly Volume[];
  storageClass(name: string): StorageClass | undefined;
  /** The uid of the claim that a volume was chosen for. */
  chosenFor(volume: string): string | undefined;
}

/** The claims of a pod. */
export interface PodClaims {
  readonly bound: readonly Claim[];
  /** Those for which the scheduler chooses node and volume. */
  readonly waiting: readonly Claim[];
}

/** The volumes of a pod on a node. */
export interface VolumeChoice {
  readonly bindings: readonly { readonly volume: Volume; readonly claim: Claim }[];
  /** Claims for which a volume has to be made. */
  readonly provisions: readonly Claim[];
}

export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
const OLD_CLASS = 'volume.beta.kubernetes.io/storage-class';

export function isBound({ metadata, spec }: Claim): boolean {
  return Boolean(spec?.volumeName) && metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

function classOf({ metadata, spec }: Claim | Volume): string {
  return metadata.annotations?.[OLD_CLASS] ?? spec?.storageClassName ?? '';
}

/**
 * The claims of a pod; a text if they are not ready for it.
 * @see pkg/scheduler/framework/plugins/volumebinding podHasPVCs, GetPodVolumeClaims @ v1.37.2
 */
export function claimsOf(pod: Stored<Pod>, lookup: VolumeLookup): PodClaims | string {
  const { namespace = '', name: podName } = pod.metadata;
  const claims: Claim[] = [];
  for (const { name, persistentVolumeClaim, ephemeral } of pod.spec?.volumes ?? []) {
    if (persistentVolumeClaim === undefined && ephemeral === undefined) continue;
    const claimName = persistentVolumeClaim?.claimName ?? `${podName}-${name}`;
    const claim = lookup.claim(namespace, claimName);
    const problem = problemOf(pod, claim, claimName, persistentVolumeClaim === undefined);
    if (problem !== undefined) return problem;
    if (claim !== undefined) claims.push(claim);
  }
  const open = claims.filter((claim) => !isBound(claim));
  const isWaiting = (claim: Claim): boolean =>
    !claim.spec?.volumeName &&
    lookup.storageClass(classOf(claim))?.volumeBindingMode === 'WaitForFirstConsumer';
  if (!open.every(isWaiting)) return 'pod has unbound immediate PersistentVolumeClaims';
  const bound = claims.filter(isBound);
  const names = bound.map(({ spec }) => spec?.volumeName ?? '');
  const lost = names.find((name) => lookup.volume(name) === undefined);
  return lost === undefined ? { bound, waiting: open } : `persistentvolume "${lost}" not found`;
}

function problemOf(
  pod: Stored<Pod>,
  claim: Claim | undefined,
  name: string,
  isEphemeral: boolean,
): string | undefined {
  if (claim === undefined) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  }
  if (claim.status?.phase === 'Lost') {
    const volume = claim.spec?.volumeName ?? '';
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volume}"`;
  }
  if (claim.metadata.deletionTimestamp !== undefined) {
    return `persistentvolumeclaim "${name}" is being deleted`;
  }
  const owners = claim.metadata.ownerReferences ?? [];
  const isOwn = owners.some(({ uid, controller }) => uid === pod.metadata.uid && controller);
  if (!isEphemeral || isOwn) return undefined;
  const { namespace } = pod.metadata;
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`;
}

export const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
export const NO_VOLUME = "node(s) didn't find available persistent volumes to bind";

/**
 * The volumes of the claims on a node, or why the node cannot have them.
 * @see pkg/scheduler/framework/plugins/volumebinding/binder.go FindPodVolumes @ v1.37.2
 */
export function volumesOn(
  node: NodeInfo,
  { bound, waiting }: PodClaims,
  lookup: VolumeLookup,
): VolumeChoice | string {
  for (const { spec } of bound) {
    const volume = lookup.volume(spec?.volumeName ?? '');
    if (volume !== undefined && !isReachable(volume, node)) return NODE_CONFLICT;
  }
  const bindings: VolumeChoice['bindings'][number][] = [];
  const provisions: Claim[] = [];
  const taken = new Set<string>();
  for (const claim of waiting.toSorted((one, other) => sizeOf(one) - sizeOf(other))) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    if (selected !== undefined && selected !== node.name) return NO_VOLUME;
    const volume = selected === undefined ? matchFor(claim, node, lookup, taken) : undefined;
    if (volume !== undefined) {
      taken.add(volume.metadata.name);
      bindings.push({ volume, claim });
    } else if (canProvision(claim, node, lookup)) provisions.push(claim);
    else return NO_VOLUME;
  }
  return { bindings, provisions };
}

function sizeOf(claim: Claim): number {
  return amountOf('storage', claim.spec?.resources?.requests?.['storage'] ?? '0');
}

function isReachable({ spec }: Volume, { facts: { labels } }: NodeInfo): boolean {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || anyTerm(terms)({ name: undefined, labels });
}

/** The volume that is meant for the claim, or else the smallest one that suits it. */
function matchFor(
  claim: Claim,
  node: NodeInfo,
  lookup: VolumeLookup,
  taken: ReadonlySet<string>,
): Volume | undefined {
  let best: Volume | undefined;
  let bestSize = Number.POSITIVE_INFINITY;
  for (const volume of lookup.volumes()) {
    const { name } = volume.metadata;
    const chosen = lookup.chosenFor(name);
    if (taken.has(name) || (chosen !== undefined && chosen !== claim.metadata.uid)) continue;
    const size = amountOf('storage', volume.spec?.capacity?.['storage'] ?? '0');
    if (!couldHold(volume, claim) || size < sizeOf(claim)) continue;
    const isMeant = isMeantFor(volume, claim);
    if (isMeant) return isReachable(volume, node) ? volume : undefined;
    if (!isFree(volume, claim) || !isReachable(volume, node) || size >= bestSize) continue;
    best = volume;
    bestSize = size;
  }
  return best;
}

function couldHold({ metadata, spec }: Volume, claim: Claim): boolean {
  const { volumeMode = 'Filesystem', volumeAttributesClassName = '' } = claim.spec ?? {};
  return (
    metadata.deletionTimestamp === undefined &&
    (spec?.volumeMode ?? 'Filesystem') === volumeMode &&
    (spec?.volumeAttributesClassName ?? '') === volumeAttributesClassName
  );
}

export function isMeantFor({ spec }: Volume, { metadata }: Claim): boolean {
  const { name, namespace, uid } = spec?.claimRef ?? {};
  if (name !== metadata.name || namespace !== metadata.namespace) return false;
  return !uid || uid === metadata.uid;
}

function isFree(volume: Volume, claim: Claim): boolean {
  const { spec, status, metadata } = volume;
  if (spec?.claimRef !== undefined || status?.phase !== 'Available') return false;
  if (classOf(volume) !== classOf(claim)) return false;
  const { selector, accessModes = [] } = claim.spec ?? {};
  const isSelected = selector === undefined || selectorOf(selector)?.matches(metadata.labels);
  return isSelected === true && accessModes.every((mode) => spec?.accessModes?.includes(mode));
}

function canProvision(
  claim: Claim,
  { facts: { labels } }: NodeInfo,
  lookup: VolumeLookup,
): boolean {
  const found = lookup.storageClass(classOf(claim));
  if (!found?.provisioner || found.provisioner === NO_PROVISIONER) return false;
  const terms = found.allowedTopologies ?? [];
  return (
    terms.length === 0 ||
    terms.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(labels?.[key] ?? '')),
    )
  );
}
