import { metadataIndexFunc, type IndexFunc } from '../../cache/store/indexers.ts';
import type { ObjectChange } from '../../controller/change/object-change.ts';
import { sameContent } from '../../meta/content/same-content.ts';
import { controllerOf, type HasMetadata, type ObjectMeta } from '../../meta/object.ts';
import type { LabelSelector } from '../../meta/selectors/label-selector.ts';

/** Passes changes after which an object without a controller may be wanted by another one than before. */
export function mayBeAdopted({ type, metadata, oldMetadata }: ObjectChange): boolean {
  if (type === 'deleted' || controllerOf({ metadata }) !== undefined) return false;
  if (oldMetadata === undefined || controllerOf({ metadata: oldMetadata }) !== undefined)
    return true;
  return !sameContent([metadata.labels], [oldMetadata.labels]);
}

/** The index of owners by one of the labels that they select. */
export const SELECTOR_INDEX = 'listwatch/selector';
/** The index of objects without a controller by each of their labels. */
export const ORPHAN_INDEX = 'listwatch/orphan';

/** One function for all controllers: an index of one name has one function. */
export const orphanIndexFunc: IndexFunc<HasMetadata> = metadataIndexFunc((metadata) =>
  controllerOf({ metadata }) === undefined ? selectorIndexValuesFor(metadata) : [],
);

/**
 * The value of an owner in `SELECTOR_INDEX`: a label that each object which it selects has. `ORPHAN_INDEX` has under it all orphans that the
 * owner may select, and some that it does not.
 */
export function selectorIndexValue(namespace: string | undefined, selector: LabelSelector): string {
  const required = selector.requirements.find(({ operator }) => operator === '=');
  return indexValue(namespace, required && `${required.key}=${required.values[0]}`);
}

/** The values under which `SELECTOR_INDEX` has all owners that may select the object, and some that do not. */
export function selectorIndexValuesFor({ namespace, labels = {} }: ObjectMeta): readonly string[] {
  const all = Object.entries(labels).map(([key, value]) =>
    indexValue(namespace, `${key}=${value}`),
  );
  return [...all, indexValue(namespace, undefined)];
}

function indexValue(namespace: string | undefined, label: string | undefined): string {
  return `${namespace ?? ''}/${label ?? ''}`;
}
