import { deepFreeze } from '../../../kernel/data/deep-freeze.ts';
import { nameBefore, sameBytes, type SharedMember } from '../../../meta/json/shared-member.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import { FrozenView } from '../../store/frozen-view.ts';
import { keptViewOf, type KeptView } from './kept-view.ts';

/**
 * Decodes the two states of an update. Most changes are changes of `status`: a `spec` with the same bytes is decoded once, and both
 * objects have it.
 */
export function decodedPair<T extends KubernetesObject>(
  old: ObjectView<T>,
  current: ObjectView<T>,
): readonly [old: T, current: T] {
  // A resync has one state.
  if (old === current) {
    const { object } = current;
    return [object, object];
  }
  const before = keptViewOf(old);
  const after = keptViewOf(current);
  // Found before anything is decoded: a cache of decoded objects drops the bytes then.
  const member = before && after && sameMember(before, after);
  const object = current.object;
  if (member === undefined || before === undefined) return [old.object, object];
  const { name } = member;
  const value = (object as Readonly<Record<string, unknown>>)[name];
  const earlier = before.objectSharing({ ...member, value }) as T;
  return [old instanceof FrozenView ? deepFreeze(earlier) : earlier, object];
}

/** The place of the longest member in the first object, if the second has the same. */
function sameMember(before: KeptView, after: KeptView): Omit<SharedMember, 'value'> | undefined {
  if (before.held !== undefined) return undefined;
  const one = before.longestMember;
  const other = one && after.longestMember;
  if (other === undefined || one === undefined || !sameBytes(one, other)) return undefined;
  const name = nameBefore(one, before.start);
  if (name === undefined || name !== nameBefore(other, after.start)) return undefined;
  return { name, start: one.start - before.start, end: one.end - before.start };
}
