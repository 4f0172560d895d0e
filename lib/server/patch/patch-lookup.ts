import { withoutReason } from '../../meta/failure/failures.ts';
import type { MessageField, MessageType } from '../../meta/types/message-type.ts';

/** How a strategic merge patch merges a member. */
export interface PatchMember {
  readonly replaces: boolean;
  readonly merges: boolean;
  /** The field that identifies the items of a merged list; undefined for a list of plain values. */
  readonly mergeKey: string | undefined;
  /** The members of the value, or of the items of a list. */
  readonly below: PatchLookup;
}

/** Finds members by name. @throws {ApiError} 500 for a member that the type does not have, as kube-apiserver. */
export type PatchLookup = (name: string) => PatchMember;

/** Where the type is unknown, objects are merged and lists are replaced. */
const untyped: PatchLookup = () => UNTYPED;
const UNTYPED: PatchMember = {
  replaces: false,
  merges: false,
  mergeKey: undefined,
  below: untyped,
};

/** @see apimachinery pkg/util/strategicpatch/meta.go PatchMetaFromStruct @ v0.36.3 */
export function patchLookup(type: MessageType | undefined): PatchLookup {
  if (type === undefined || type.isUnion) return untyped;
  return (name) => {
    const field = type.byName.get(name);
    if (field !== undefined) return memberOf(field);
    const struct = type.name.slice(type.name.indexOf('.') + 1);
    throw withoutReason(
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`,
    );
  };
}

function memberOf({
  patchStrategies,
  patchMergeKey,
  shape,
  message,
  type,
}: MessageField): PatchMember {
  return {
    replaces: patchStrategies.includes('replace'),
    merges: patchStrategies.includes('merge'),
    mergeKey: patchMergeKey,
    below:
      shape === 'map' ? noStruct : message === undefined ? noFields(type) : patchLookup(message),
  };
}

/** In a map, no values can be merged. */
function noStruct(): never {
  throw withoutReason('merging an object in json but data type is not struct, instead is: map');
}

function noFields(struct: string): PatchLookup {
  return (name) => {
    throw withoutReason(
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`,
    );
  };
}
