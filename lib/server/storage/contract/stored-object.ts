import type { KubernetesObject, ObjectMeta } from '../../../meta/object.ts';
import type { ObjectView } from '../../../meta/object-view.ts';

/**
 * One object in the server: its JSON bytes and, after the first read, the decoded object.
 *
 * Guarantees:
 * - `object` and `bytes` carry the resource version; both are computed at most once and shared by all readers.
 * - `object` must not be modified (it is deeply frozen while expensive checks are on); `copy` is private to the caller.
 *
 * @experimental
 */
export interface StoredObject<T extends KubernetesObject = KubernetesObject> extends ObjectView<T> {
  /** The storage key, e.g. `/registry/pods/shop/web-1`. */
  readonly key: string;
  readonly metadata: ObjectMeta;
  readonly object: T;
  /** The JSON document of `object`, UTF-8. It is encoded once for all watchers and readers. */
  readonly bytes: Uint8Array;
  /**
   * The parts of `bytes`, over existing memory. For callers that copy them at once, so that no document is kept for later readers.
   * Without this method, read `bytes`.
   */
  pieces?(): readonly Uint8Array[];
  /**
   * The result of `encode` for `object`, computed at most once as long as callers pass the same function; without this method, call it on
   * `object`. Decodes the object if need be, and does not keep it decoded for that. One result is kept for each state in memory.
   */
  encodedBy?(encode: (object: T) => Uint8Array): Uint8Array;
  /**
   * Decodes the object now. Its `spec` is shared with an earlier state if both have the same bytes, so that a large object is not decoded
   * again for each change of its status. Without this method, and when the bytes differ, `object` decodes as usual.
   */
  decodeAfter?(earlier: StoredObject<T>): void;
  /** Decimal; also in `object.metadata.resourceVersion`. */
  readonly resourceVersion: string;
  /** A fresh decoded object that the caller may change. */
  copy(): T;
  /** The object in the other API version in which it was read last. `inApiVersion` sets it. */
  converted?: StoredObject<T> | undefined;
}

/** An object in another encoding than JSON; all callers of one resource pass the same function. See `StoredObject.encodedBy`. */
export function encodingOf<T extends KubernetesObject>(
  stored: StoredObject<T>,
  encode: (object: T) => Uint8Array,
): Uint8Array {
  return stored.encodedBy?.(encode) ?? encode(stored.object);
}

/** The document of an object in pieces, which must be copied at once; see `StoredObject.pieces`. */
export function documentPieces(stored: StoredObject): readonly Uint8Array[] {
  return stored.pieces?.() ?? [stored.bytes];
}
