import type { KubernetesObject, ObjectMeta, OwnerReference } from '../../../meta/object.ts';
import type { Stored } from '../../../meta/stored.ts';
import type { ObjectChange } from '../../change/object-change.ts';
import { ownersIn } from './owner-index.ts';
import type { OwnKind } from './source-declaration.ts';
import { keysOf, type Targets } from './targets.ts';

/** Returns the objects to reconcile after a change of another object: keys, names, or nothing. */
export type MapObject<U extends KubernetesObject> = (object: Stored<U>, own: OwnLookup) => Targets;

/** The reads of the cache of the controller's own kind that a mapping may use. */
export interface OwnLookup {
  /**
   * The keys of the objects that have this value in an index of `indexers`.
   * @throws {ListwatchError} code UNKNOWN_INDEX.
   */
  readonly byIndex: (index: string, value: string) => readonly string[];
}

/** The owners of the changed object; after an update also those that it had before. */
export function ownersOf(
  own: OwnKind,
  { metadata, oldMetadata }: ObjectChange,
  wanted: (owner: OwnerReference) => boolean,
): readonly string[] {
  const owners = (one: ObjectMeta): readonly string[] => ownersIn(own, one, wanted);
  const now = owners(metadata);
  if (oldMetadata === undefined || oldMetadata === metadata) return now;
  return union(owners(oldMetadata), now);
}

/** The result of the function of the author, for the object before an update too. */
export function mapped<U extends KubernetesObject>(
  map: MapObject<U>,
  { object, old }: ObjectChange<U>,
  lookup: OwnLookup,
): readonly string[] {
  const now = keysOf(map(object, lookup));
  return old === undefined || old === object ? now : union(keysOf(map(old, lookup)), now);
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}
