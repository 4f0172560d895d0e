import { sameContent } from '../../meta/content/same-content.ts';
import { parseLabelSelector } from '../../meta/selectors/label-selector.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import { LazyChange, type ObjectChange } from './object-change.ts';

/**
 * Whether a change matters to a controller. A pure, synchronous function; it gets each change once. Additions and deletions pass all
 * predicates below that compare two states.
 */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (
  change: ObjectChange<T>,
) => boolean;

/** Passes what all of them pass. */
export function allOf<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return (change) => predicates.every((predicate) => predicate(change));
}

/** Passes what one of them passes. */
export function anyOf<T extends KubernetesObject>(
  ...predicates: readonly Predicate<T>[]
): Predicate<T> {
  return (change) => predicates.some((predicate) => predicate(change));
}

/** Passes what the predicate does not pass. */
export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return (change) => !predicate(change);
}

/** Passes updates in which the server has raised `metadata.generation`, and all updates of objects without one. */
export const generationChanged: Predicate = ({ metadata, oldMetadata }) =>
  oldMetadata === undefined ||
  metadata.generation === undefined ||
  metadata.generation !== oldMetadata.generation;

/** Passes updates that change labels. */
export const labelsChanged: Predicate = (change) => differs(change, 'labels');

/** Passes updates that change annotations. */
export const annotationsChanged: Predicate = (change) => differs(change, 'annotations');

/**
 * Passes updates in which a part of the object is another one than before.
 * @example
 * changed(({ spec }: Stored<Deployment>) => spec?.replicas)
 */
export function changed<T extends KubernetesObject>(
  part: (object: Stored<T>) => unknown,
): Predicate<T> {
  return ({ object, old }) => old === undefined || !sameContent([part(object)], [part(old)]);
}

/** The parts of the metadata that a controller acts on, although they do not change the generation. */
const OF_CONTROLLERS = [
  'labels',
  'annotations',
  'finalizers',
  'deletionTimestamp',
  'ownerReferences',
] as const satisfies readonly (keyof ObjectMeta)[];

/**
 * Leaves out updates that change nothing but the status: the generation is the same, and so are labels, annotations, finalizers,
 * deletionTimestamp and ownerReferences. A kind without generation passes whole; so does a resync.
 *
 * The default for a controller's own kind: the status is what the controller writes itself.
 */
export const specOrMetadataChanged: Predicate = (change) =>
  change instanceof LazyChange
    ? change.matters(mattersToControllers)
    : mattersToControllers(change);

function mattersToControllers(change: ObjectChange): boolean {
  return (
    change.resync ||
    generationChanged(change) ||
    OF_CONTROLLERS.some((field) => differs(change, field))
  );
}

/** Passes also each change of an object that has one of the finalizers: without a run it would keep them when it is deleted. */
export function passesHeld(predicate: Predicate, finalizers: readonly string[]): Predicate {
  if (finalizers.length === 0) return predicate;
  return (change) => {
    const { metadata, type } = change;
    const isHeld =
      type !== 'deleted' && finalizers.some((name) => metadata.finalizers?.includes(name));
    return isHeld || predicate(change);
  };
}

/** Passes changes in these namespaces. */
export function inNamespaces(...namespaces: readonly string[]): Predicate {
  const wanted = new Set(namespaces);
  return ({ metadata }) => wanted.has(metadata.namespace ?? '');
}

/**
 * Passes changes of objects whose labels match before or after an update, so that a controller sees an object leave too.
 * @param selector e.g. `app=web,tier in (a,b)`
 * @throws {ListwatchError} code INVALID_SELECTOR.
 */
export function withLabels(selector: string): Predicate {
  const parsed = parseLabelSelector(selector);
  return ({ metadata, oldMetadata }) =>
    parsed.matches(metadata.labels) ||
    (oldMetadata !== undefined && parsed.matches(oldMetadata.labels));
}

function differs(
  { metadata, oldMetadata }: ObjectChange,
  field: (typeof OF_CONTROLLERS)[number],
): boolean {
  return oldMetadata === undefined || !sameContent([metadata[field]], [oldMetadata[field]]);
}
