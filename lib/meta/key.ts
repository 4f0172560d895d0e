import { ListwatchError } from '../kernel/failure/errors.ts';
import type { HasMetadata } from './object.ts';
import { quotedName } from './api-call.ts';
import { IdentifiedView, identityOf } from './object-view.ts';

/**
 * Computes the key under which an object is stored. It may read `metadata` only, so that it works on views. If it reads only
 * the fields that `identityOf` gives, the metadata of views over bytes need not be decoded.
 * The same object must always give the same key, and the key must not change over the object's life.
 */
export type KeyFunc = (object: HasMetadata) => string;

/** An object whose key cannot be computed. */
export class KeyError extends ListwatchError {
  // A logger that writes the fields of errors does not write private ones: it may be a Secret.
  readonly #object: unknown;

  constructor(object: unknown, reason: string, cause?: unknown) {
    super('KEY', `no key for the object: ${reason}`, { cause });
    this.#object = object;
  }

  /** The object as it was received. */
  get object(): unknown {
    return this.#object;
  }
}

/**
 * `namespace/name`, or `name` for an object without a namespace.
 * @throws {KeyError} code KEY when the object has no metadata or no name.
 * @see client-go tools/cache/store.go MetaNamespaceKeyFunc @ 32ce75a7
 */
export function metaNamespaceKeyFunc(object: HasMetadata): string {
  const shared = object instanceof IdentifiedView ? object.sharedKey : undefined;
  if (shared !== undefined) return shared;
  const identity = identityOf(object);
  const { name } = identity;
  if (typeof name !== 'string' || name === '') throw nameless(object);
  return joinedKey(name, identity.namespace);
}

/** The key of an object of this name, as one flat string: caches keep keys, and a concatenated string takes 32 bytes more. */
export function joinedKey(name: string, namespace: string | undefined): string {
  return namespace ? [namespace, name].join('/') : name;
}

function nameless(object: HasMetadata | null | undefined): KeyError {
  const metadata = object?.metadata;
  const what = typeof metadata === 'object' && metadata !== null ? 'metadata.name' : 'metadata';
  return new KeyError(object, `it has no ${what}; give it a name, or use another keyFunc`);
}

/** Namespace and name of an object; the namespace of a cluster-scoped object is empty. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** The key of a namespace and name. */
export function objectKey({ namespace, name }: ObjectName): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/**
 * Splits a key of `metaNamespaceKeyFunc`.
 * @throws {KeyError} code KEY when it has more than one slash.
 */
export function splitMetaNamespaceKey(key: string): ObjectName {
  const parts = key.split('/');
  if (parts.length === 1) return { namespace: '', name: key };
  if (parts.length === 2) return { namespace: parts[0] as string, name: parts[1] as string };
  throw new KeyError(key, `expected name or namespace/name, found ${quotedName(key)}`);
}
