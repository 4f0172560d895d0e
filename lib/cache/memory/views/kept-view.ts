import { JsonView } from '../../../meta/json/json-view.ts';
import type { KnownValue } from '../../../meta/json/known-values.ts';
import { ObjectScanner } from '../../../meta/json/object-scanner.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';
import { FrozenView } from '../../store/frozen-view.ts';

/** A view over bytes, which a cache may move. */
export type KeptView = JsonView<KubernetesObject>;

const scanner = new ObjectScanner();

/** The view over bytes in a stored value, if there is one. */
export function keptViewOf(object: ObjectView): KeptView | undefined {
  const view = object instanceof FrozenView ? object.view : object;
  return view instanceof JsonView ? (view as KeptView) : undefined;
}

/** The longest member of a stored object except the metadata, if its bytes can be read. */
export function longestMemberOf(object: ObjectView): KnownValue | undefined {
  return keptViewOf(object)?.longestMember;
}

/** Another view of the same object, over the same bytes until it is moved. */
export function copyOf<V extends ObjectView>(object: V, view: KeptView): V {
  const { json, type } = view;
  scanner.scanObject(json, 0, json.length);
  const identity = scanner.plain ? scanner : view;
  const copy = new JsonView({ bytes: json }, 0, json.length, identity, type);
  // Only a view over bytes, frozen or not, is copied.
  return (object instanceof FrozenView ? new FrozenView(copy) : copy) as ObjectView as V;
}
