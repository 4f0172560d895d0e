/** The text in place of a value. */
export interface Replacement {
  /** In place of a value of `data`, and of `data` that is no record. */
  data(value: unknown): unknown;
  /** In place of any other value. */
  other(value: unknown): unknown;
}

/** How values are found besides those of Secrets. */
export interface MaskRules {
  readonly replacement: Replacement;
  /** Texts under such names are masked in objects of any kind. @defaultValue none */
  readonly names?: RegExp | undefined;
}

type Fields = Record<string, unknown>;

/** A tree that is deeper is masked from there on. */
const DEEPEST = 100;
/** The fields of a Secret that hold no values, with their types; see also `METADATA`. */
const SHOWN: Readonly<Record<string, string>> = {
  apiVersion: 'string',
  kind: 'string',
  type: 'string',
  immutable: 'boolean',
};
/** The fields of metadata that a server or a controller writes, and labels, which are part of selectors. */
const METADATA: Readonly<Record<string, string>> = {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'number',
  creationTimestamp: 'string',
  deletionTimestamp: 'string',
  deletionGracePeriodSeconds: 'number',
  selfLink: 'string',
  labels: 'object',
  finalizers: 'object',
  ownerReferences: 'object',
  managedFields: 'object',
  // Of a list.
  continue: 'string',
  remainingItemCount: 'number',
};
/** Annotations of Kubernetes itself that name something. Those of other tools may hold the whole object, as it was applied. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  'kubernetes.io/service-account.name',
  'kubernetes.io/service-account.uid',
  'kubernetes.io/enforce-mountable-secrets',
]);
/** The longest name of an object. */
const LONGEST_NAME = 253;
const SECRET_KIND = /^\s*secret(?:list)?\s*$/i;
const LIST_KIND = /list\s*$/i;
/** An object in JSON, as it stands in annotations of tools. */
const JSON_TEXT = /^\s*[{[]/;
const NAMES_SECRET = /secret|\\u/i;
const NAMES_DATA = /data|\\u/i;

/** Whether the kind, in any case of letters, is that of Secrets or of a list of them. */
export function isSecretKind(kind: unknown): boolean {
  return typeof kind === 'string' && SECRET_KIND.test(kind);
}

/**
 * A masked copy of one object. Of a Secret, what is known to hold no value stays, and all else is masked, so that no form of `data` and
 * no field of another name gets through.
 */
export class MaskedCopy {
  /** Values that were masked. */
  count = 0;
  readonly #rules: MaskRules;

  constructor(rules: MaskRules) {
    this.#rules = rules;
  }

  /** The object is a Secret, whatever it says of its kind. */
  secret(object: unknown): unknown {
    if (!isFields(object)) return this.#other(object);
    const copy = emptyFields();
    for (const [name, value] of Object.entries(object)) {
      if (name === 'data') copy[name] = this.#data(value);
      else if (name === 'stringData') copy[name] = this.#strings(value);
      else if (name === 'metadata') copy[name] = this.#metadata(value);
      else copy[name] = isShown(SHOWN, name, value) ? value : this.#other(value);
    }
    return copy;
  }

  /**
   * The resource of the object is known, and is another one: Secrets that are embedded in it, by their kind. `isUnknown`: the resource is
   * not known either, so that an object counts as a Secret that has its fields and names no other kind.
   */
  object(object: unknown, isUnknown: boolean = false): unknown {
    return this.#value(object, '', 0, isUnknown);
  }

  #value(value: unknown, name: string, depth: number, isUnknown: boolean): unknown {
    if (typeof value === 'string') return this.#text(value, name);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) return this.#other(value);
    if (Array.isArray(value)) {
      return value.map((item: unknown) => this.#value(item, name, depth + 1, isUnknown));
    }
    return this.#fields(value as Fields, depth, isUnknown);
  }

  #fields(fields: Fields, depth: number, isUnknown: boolean): unknown {
    const { kind } = fields;
    if (isSecretKind(kind)) {
      // A reference to a Secret has a kind and a name.
      if (isSecretList(fields)) return this.#list(fields, (item) => this.secret(item));
      if (depth === 0 || hasValues(fields)) return this.secret(fields);
    } else if (isUnknown && looksLikeSecret(fields)) return this.secret(fields);
    const ofList = isUnknown && (depth === 0 || !isKind(kind) || LIST_KIND.test(kind));
    const copy = emptyFields();
    for (const [name, value] of Object.entries(fields)) {
      copy[name] = this.#value(value, name, depth + 1, ofList && name === 'items');
    }
    return this.#variable(fields, copy);
  }

  #list(fields: Fields, item: (value: unknown) => unknown): Fields {
    const copy = emptyFields();
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'items' && Array.isArray(value)) copy[name] = value.map(item);
      else if (name === 'metadata') copy[name] = this.#metadata(value);
      else copy[name] = isShown(SHOWN, name, value) ? value : this.#other(value);
    }
    return copy;
  }

  /** An environment variable. */
  #variable(fields: Fields, copy: Fields): Fields {
    const { name, value } = fields;
    const isNamed = typeof name === 'string' && this.#rules.names?.test(name) === true;
    if (isNamed && typeof value === 'string') copy['value'] = this.#other(value);
    return copy;
  }

  /** A text that is an object in JSON, as in an annotation, is masked as one. */
  #text(text: string, name: string): unknown {
    if (this.#rules.names?.test(name) === true) return this.#other(text);
    if (!JSON_TEXT.test(text) || !NAMES_SECRET.test(text)) return text;
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      return NAMES_DATA.test(text) ? this.#other(text) : text;
    }
    const before = this.count;
    const copy = this.object(parsed);
    return this.count === before ? text : JSON.stringify(copy);
  }

  #data(data: unknown): unknown {
    if (!isFields(data)) return this.#items(data, (value) => this.#counted('data', value));
    return this.#each(data, (value) => this.#counted('data', value));
  }

  #strings(data: unknown): unknown {
    if (!isFields(data)) return this.#items(data, (value) => this.#other(value));
    return this.#each(data, (value) => this.#other(value));
  }

  #metadata(metadata: unknown): unknown {
    if (!isFields(metadata)) return this.#other(metadata);
    const copy = emptyFields();
    for (const [name, value] of Object.entries(metadata)) {
      if (name === 'annotations' && isFields(value)) copy[name] = this.#annotations(value);
      else copy[name] = isShown(METADATA, name, value) ? value : this.#other(value);
    }
    return copy;
  }

  #annotations(annotations: Fields): Fields {
    return this.#each(annotations, (value, name) =>
      ANNOTATIONS.has(name) && isName(value) ? value : this.#other(value),
    );
  }

  #each(fields: Fields, copied: (value: unknown, name: string) => unknown): Fields {
    const copy = emptyFields();
    for (const [name, value] of Object.entries(fields)) copy[name] = copied(value, name);
    return copy;
  }

  #items(value: unknown, copied: (value: unknown) => unknown): unknown {
    return Array.isArray(value) ? value.map(copied) : copied(value);
  }

  #other(value: unknown): unknown {
    return this.#counted('other', value);
  }

  #counted(which: keyof Replacement, value: unknown): unknown {
    if (value === null || value === undefined) return value;
    this.count += 1;
    return this.#rules.replacement[which](value);
  }
}

/** Whether a nested object is more than a reference to a Secret. */
function hasValues(fields: Fields): boolean {
  return has(fields, 'data') || has(fields, 'stringData') || isFields(fields['metadata']);
}

function isSecretList({ kind, items }: Fields): boolean {
  return Array.isArray(items) && typeof kind === 'string' && LIST_KIND.test(kind);
}

/** `stringData`, and `data` beside `type`, are fields of Secrets alone; an object that names no kind has the fields of any. */
function looksLikeSecret(fields: Fields): boolean {
  if (has(fields, 'stringData')) return true;
  if (!has(fields, 'data')) return false;
  return !isKind(fields['kind']) || typeof fields['type'] === 'string';
}

function isKind(kind: unknown): kind is string {
  return typeof kind === 'string' && kind.trim() !== '';
}

function has(fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name);
}

/** Whether a field is one that holds no value of a Secret, and has its type. */
function isShown(types: Readonly<Record<string, string>>, name: string, value: unknown): boolean {
  if (!Object.hasOwn(types, name) || typeof value !== types[name]) return false;
  return typeof value !== 'string' || name === 'continue' || isName(value);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.length <= LONGEST_NAME;
}

/** `__proto__` is a field like any other. */
function emptyFields(): Fields {
  return Object.create(null) as Fields;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
