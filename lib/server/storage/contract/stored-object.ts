import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';

/**
 * One object as the server holds it: its JSON bytes and, on first read, the decoded object.
 *
 * Guarantees:
 * - `object` and `bytes` carry the resource version; both are computed at most once and shared by all readers.
 * - `object` must not be modified (it is deeply frozen while expensive checks are on); `copy` is private to the caller.
 */
export interface StoredObject<T extends KubernetesObject = KubernetesObject> extends ObjectView<T> {
  /** The storage key, e.g. `/registry/pods/shop/web-1`. */
  readonly key: string;
  readonly metadata: ObjectMeta;
  readonly object: T;
  /** The JSON document of `object`, UTF-8. Encoded once, however many watchers and readers get it. */
  readonly bytes: Uint8Array;
  /**
   * The parts of `bytes`, over bytes that exist anyway: for callers that copy them at once and keep nothing for the
   * next reader. Left out: it is `bytes` that would have to be made.
   */
  pieces?(): readonly Uint8Array[];
  /** Decimal; also in `object.metadata.resourceVersion`. */
  readonly resourceVersion: string;
  /** A fresh decoded object that the caller may change. */
  copy(): T;
}

/** The document of an object in pieces to be copied at once; see `StoredObject.pieces`. */
export function documentPieces(stored: StoredObject): readonly Uint8Array[] {
  return stored.pieces?.() ?? [stored.bytes];
}
