import type { HasMetadata, KubernetesObject, ObjectMeta } from './object.ts';

/** The identity of an object and of its state. The metadata of an object is one. */
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
   * Namespace and name as `metaNamespaceKeyFunc` joins them, where many caches have the view in common: the same text is the key
   * in all of them then. Undefined: it is joined on each read.
   */
  get sharedKey(): string | undefined {
    return undefined;
  }
}

const NO_METADATA: ObjectMeta = Object.freeze({});

/** The identity of an object or of a view of one, at the least cost: code that needs no more reads this, not `metadata`. */
export function identityOf(object: HasMetadata | null | undefined): ObjectIdentity {
  if (object instanceof IdentifiedView) return object;
  // A source may send null for an object; that must cost no more than this one.
  return object?.metadata ?? NO_METADATA;
}

/**
 * One object as it travels from the bytes to the handlers: metadata at once, the whole object on first read.
 *
 * Most handlers only enqueue a key, so an implementation over bytes never has to parse a body that is not read. Code that
 * asks first pays for the decoding; all who ask get the same object, which must not be modified.
 */
export interface ObjectView<T extends KubernetesObject = KubernetesObject> extends HasMetadata {
  readonly metadata: ObjectMeta;
  /** The whole object, decoded on first access and shared. */
  readonly object: T;
  /**
   * Size of the object in bytes: on the wire, or as a cache keeps them. Left out where objects come without bytes. Caches
   * add it up; decoded, an object takes several times as much memory.
   */
  readonly sizeBytes?: number | undefined;
}

/** The view of an object that is decoded already. */
export class DecodedView<T extends KubernetesObject> implements ObjectView<T> {
  readonly object: T;
  readonly sizeBytes: number | undefined;

  constructor(object: T, sizeBytes?: number) {
    this.object = object;
    this.sizeBytes = sizeBytes;
  }

  get metadata(): ObjectMeta {
    // A source may send null for an object; that must cost no more than this one.
    return (this.object as T | null | undefined)?.metadata ?? NO_METADATA;
  }
}
