import { dropManagedFields } from '../../../meta/drop-managed-fields.ts';
import { JsonView, type ObjectPlaces } from '../../../meta/json/json-view.ts';
import { DecodedView, type ObjectView } from '../../../meta/object-view.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { ChangedDecoder } from './changed-decoder.ts';
import type { ObjectDecoder } from './object-decoder.ts';

const DROP = ';drop=metadata.managedFields';

/**
 * An Accept header that asks for objects without managed fields, and for the same with them from a server that refuses that. Kubernetes
 * before 1.38, and a later one without the feature gate ManagedFieldsOptOut, ignores the parameter.
 */
export function droppingAccept(accept: string = 'application/json'): string {
  const [first = accept] = accept.split(',', 1);
  return `${first}${DROP},${accept}`;
}

/** Leaves out the managed fields of objects whose server has sent them. Bytes are cut, and not decoded. */
export function droppingDecoder<T extends KubernetesObject>(
  whole: ObjectDecoder<T>,
): ObjectDecoder<T> {
  return new ChangedDecoder<T, T>(whole, whole.accept, cut);
}

function cut<T extends KubernetesObject>(view: ObjectView<T>): ObjectView<T> {
  if (!(view instanceof JsonView)) {
    const object = dropManagedFields(view.object);
    return object === view.object ? view : new DecodedView(object, view.sizeBytes);
  }
  const { places, source, start, sizeBytes, type } = view as JsonView<T>;
  if (places === undefined || places.managedFieldsStart < 0) return view as JsonView<T>;
  const before = source.bytes.subarray(start, start + places.managedFieldsStart);
  const behind = source.bytes.subarray(start + places.managedFieldsEnd, start + sizeBytes);
  const bytes = Buffer.concat([before, behind]);
  const { name, namespace, uid, resourceVersion } = view;
  const identity = { name, namespace, uid, resourceVersion, ...movedPlaces(places) };
  return new JsonView<T>({ bytes }, 0, bytes.length, identity, type);
}

/** The places in the object without its managed fields. */
function movedPlaces(places: ObjectPlaces): ObjectPlaces {
  const { managedFieldsStart, managedFieldsEnd } = places;
  const moved = (at: number): number =>
    at < managedFieldsEnd ? at : at - (managedFieldsEnd - managedFieldsStart);
  return {
    metadataStart: places.metadataStart,
    metadataEnd: moved(places.metadataEnd),
    managedFieldsStart: -1,
    managedFieldsEnd: -1,
    longestStart: moved(places.longestStart),
    longestEnd: moved(places.longestEnd),
  };
}
