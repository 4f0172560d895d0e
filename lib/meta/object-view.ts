import type { HasMetadata, KubernetesObject, ObjectMeta } from './object.ts';

/** The identity of an object and of its state. `ObjectMeta` satisfies it. */
export interface ObjectIdentity {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** A view that knows its identity without decoding its metadata. */
export abstract class IdentifiedView implements ObjectIdentity {
  abstract get name(): string | undefined;
  abstract get namespace(): string | undefined;
  abstract readonly uid: string | undefined;
  abstract readonly resourceVersion: string | undefined;

  /**
   * Namespace and name as `metaNamespaceKeyFunc` joins them. Set on views that many caches share, so that all of them use the
   * same string as key. Undefined: the key is joined on each read.
   */
  get sharedKey(): string | undefined {
    return undefined;
  }
}

const NO_METADATA: ObjectMeta = Object.freeze({});

/** The identity of an object or a view at the lowest cost. Code that needs only the identity reads this instead of `metadata`. */
export function identityOf(object: HasMetadata | null | undefined): ObjectIdentity {
  if (object instanceof IdentifiedView) return object;
  // A source may send null in place of an object; only that object may be lost.
  return object?.metadata ?? NO_METADATA;
}

/**
 * One object on its way from the bytes to the handlers. Its metadata is available at once, the whole object is decoded on first read.
 *
 * Most handlers only enqueue a key, so an implementation over bytes does not parse a body that is not read. The first read pays
 * for the decoding; all readers get the same object, which must not be modified.
 */
export interface ObjectView<T extends KubernetesObject = KubernetesObject> extends HasMetadata {
  readonly metadata: ObjectMeta;
  /** The whole object, decoded on first access and shared. */
  readonly object: T;
  /**
   * Size of the object in bytes: on the wire, or as a cache stores it. Left out where objects have no bytes. Caches add up the
   * sizes. A decoded object takes several times as much memory.
   */
  readonly sizeBytes?: number | undefined;
}

/** The view of an object that is already decoded. */
export class DecodedView<T extends KubernetesObject> implements ObjectView<T> {
  readonly object: T;
  readonly sizeBytes: number | undefined;

  constructor(object: T, sizeBytes?: number) {
    this.object = object;
    this.sizeBytes = sizeBytes;
  }

  get metadata(): ObjectMeta {
    // A source may send null in place of an object; only that object may be lost.
    return (this.object as T | null | undefined)?.metadata ?? NO_METADATA;
  }
}
