import { ListwatchError } from '../../kernel/failure/errors.ts';
import { isFields, isSecretKind, MaskedCopy, type Replacement } from './masked-values.ts';
import {
  beginsWith,
  fieldsOf,
  fieldsWritten,
  headOf,
  mayBeSecret,
  mayEmbedSecret,
} from './secret-bytes.ts';

/**
 * Which values of objects are not shown: `secrets`: those of `data` and `stringData` of Secrets; an array of paths, such as
 * `spec.containers.env.value`: these fields of all objects too; `nothing`: all values are shown. Paths go through arrays.
 */
export type MaskChoice = 'secrets' | 'nothing' | readonly string[];

/** The resource that was asked for, e.g. `v1` and `secrets`. */
export interface MaskedResource {
  readonly apiVersion: string;
  readonly resource: string;
}

/** In place of a text. */
const MASKED_TEXT = 'masked';
/** In place of a value of `data`, which is base64: `masked`. */
const MASKED_DATA = 'bWFza2Vk';
/** In place of an object that cannot be read. */
const UNREADABLE: Buffer = Buffer.from('null');
/** Field names separated by dots; no name is empty. */
const PATH = /^[^.]+(?:\.[^.]+)*$/;
/** API groups of Kubernetes itself, whose kinds embed no other object that a Secret could be. */
const BUILT_IN_GROUP = /^(?:[a-z]+|(?:[a-z0-9-]+\.)+k8s\.io)$/;
/** Of these, the data may be any object. */
const HOLDERS: ReadonlySet<string> = new Set(['controllerrevisions']);

const REPLACEMENT: Replacement = {
  data: (value) => replaced(value, MASKED_DATA),
  other: (value) => replaced(value, MASKED_TEXT),
};

function replaced(value: unknown, text: string): unknown {
  if (typeof value === 'number') return 0;
  return typeof value === 'boolean' ? false : text;
}

/** Whether the objects of a resource are Secrets. Resources of this name in other groups count too. */
export function areSecrets(of: MaskedResource | undefined): boolean {
  return of !== undefined && /^secrets(?:\/|$)/i.test(of.resource);
}

/** Replaces values of objects by others of the same type: texts by `masked`, numbers by 0, booleans by false. */
export class ObjectMask {
  /** The choice, as data. */
  readonly choice: MaskChoice;
  readonly #paths: readonly (readonly string[])[];

  /** @throws {ListwatchError} code INVALID_OPTION, naming the owner. */
  constructor(owner: string, choice: MaskChoice = 'secrets') {
    if (choice !== 'secrets' && choice !== 'nothing' && !isPaths(choice)) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${owner}: option "mask" must be 'secrets', 'nothing', or an array of paths such as "spec.containers.env.value"`,
      );
    }
    this.choice = choice;
    this.#paths = typeof choice === 'string' ? [] : choice.map((path) => path.split('.'));
  }

  /** The mask of the objects of one resource; undefined: it is not known, so that each object is searched. */
  of(resource: MaskedResource | undefined): CollectionMask {
    const masksSecrets = this.choice !== 'nothing';
    return new CollectionMask({
      objects: masksSecrets ? objectsOf(resource) : 'shown',
      paths: this.#paths,
    });
  }
}

/**
 * How the objects of a collection are searched. `secrets`: all are Secrets, whatever they say of themselves. `plain`: by the kind at their
 * beginning. `holders`: they may embed others. `unknown`: by all that an object has. `shown`: not at all.
 */
type SearchedObjects = 'secrets' | 'plain' | 'holders' | 'unknown' | 'shown';

function objectsOf(of: MaskedResource | undefined): SearchedObjects {
  if (of === undefined) return 'unknown';
  if (areSecrets(of)) return 'secrets';
  const slash = of.apiVersion.indexOf('/');
  const isBuiltIn = slash < 0 || BUILT_IN_GROUP.test(of.apiVersion.slice(0, slash));
  return isBuiltIn && !HOLDERS.has(of.resource) ? 'plain' : 'holders';
}

interface CollectionMaskParts {
  readonly objects: SearchedObjects;
  readonly paths: readonly (readonly string[])[];
}

/**
 * The mask of the objects of one collection. What they are is decided by the resource that was asked for.
 *
 * Guarantees: names of fields, the number of items, and all other values stay, but for fields that no Secret has. An object that cannot be
 * read becomes `null`; it never throws.
 */
export class CollectionMask {
  readonly #objects: SearchedObjects;
  readonly #paths: readonly (readonly string[])[];
  /** The beginning of the last object that is no Secret: most objects of a collection begin so. */
  #head: Buffer = EMPTY;

  constructor({ objects, paths }: CollectionMaskParts) {
    this.#objects = objects;
    this.#paths = paths;
  }

  /** Whether all that a server says of these objects may have values of Secrets, such as the text of a failure. */
  get isOfSecrets(): boolean {
    return this.#objects === 'secrets';
  }

  /** An object in JSON with masked values: the same bytes if nothing in it is masked. */
  apply(json: Buffer): Buffer {
    return this.#isShown(json) ? json : this.#masked(json);
  }

  #isShown(json: Buffer): boolean {
    if (this.#paths.length > 0) return false;
    switch (this.#objects) {
      case 'plain':
        return this.#isPlain(json);
      case 'shown':
        return true;
      case 'secrets':
        return false;
      case 'holders':
        return this.#isPlain(json) && !mayEmbedSecret(json);
      case 'unknown':
        return !mayBeSecret(json);
    }
  }

  #isPlain(json: Buffer): boolean {
    if (this.#head.length > 0 && beginsWith(json, this.#head)) return true;
    const head = headOf(json);
    if (head === undefined) return !mayBeSecret(json);
    if (isSecretKind(head.kind)) return false;
    this.#head = head.bytes;
    return true;
  }

  #masked(json: Buffer): Buffer {
    let object: unknown;
    try {
      object = JSON.parse(json.toString('utf8'));
    } catch {
      return UNREADABLE;
    }
    const masking = new MaskedCopy({ replacement: REPLACEMENT });
    const copy =
      this.#objects === 'secrets'
        ? masking.secret(object)
        : masking.object(object, this.#objects === 'unknown');
    for (const path of this.#paths) maskPath(copy, path);
    const isSame = masking.count === 0 && this.#paths.length === 0 && this.#objects !== 'secrets';
    // The parser keeps the last one of fields that are written twice; the bytes have all of them.
    return isSame && fieldsWritten(json) === fieldsOf(object) ? json : bytesOf(copy);
  }
}

const EMPTY: Buffer = Buffer.alloc(0);

function bytesOf(copy: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(copy));
  } catch {
    return UNREADABLE;
  }
}

function isPaths(choice: unknown): choice is readonly string[] {
  return (
    Array.isArray(choice) && choice.every((path) => typeof path === 'string' && PATH.test(path))
  );
}

function maskPath(value: unknown, path: readonly string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) maskPath(item, path);
    return;
  }
  const [name, ...rest] = path;
  if (!isFields(value) || name === undefined || !Object.hasOwn(value, name)) return;
  if (rest.length === 0) value[name] = masked(value[name]);
  else maskPath(value[name], rest);
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return MASKED_TEXT;
  if (typeof value === 'number') return 0;
  if (typeof value === 'boolean') return false;
  if (Array.isArray(value)) return value.map(masked);
  if (!isFields(value)) return value;
  for (const name of Object.keys(value)) value[name] = masked(value[name]);
  return value;
}
