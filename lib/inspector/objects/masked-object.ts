import type { KubernetesObject } from '../../meta/object.ts';

/** Fields and environment variables whose texts are secrets in objects of any kind. */
const SECRET_NAME =
  /(?:^|[-_.]|[a-z])(?:password|passwd|passphrase|secret|token|credentials?|private[-_]?key|api[-_]?key|access[-_]?key)s?$/i;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const DEEPEST = 100;

export interface Masked {
  readonly object: KubernetesObject;
  /** Values that were masked. */
  readonly count: number;
}

export interface MaskOptions {
  /** The objects are secrets, whatever they say of their kind: items of lists may lack it. */
  readonly secrets?: boolean | undefined;
}

/**
 * A copy of an object without secrets: the data of a Secret, and texts under names such as `password` and `token`. Masked texts say
 * their length. Keys that name no secret are not recognised.
 */
export function maskedObject(
  object: KubernetesObject,
  { secrets = false }: MaskOptions = {},
): Masked {
  const mask = new Mask();
  const isSecret = secrets || object.kind === 'Secret';
  const copy = isSecret ? mask.secret(object) : mask.value(object, '', 0);
  return { object: copy as KubernetesObject, count: mask.count };
}

class Mask {
  count = 0;

  secret(object: KubernetesObject): unknown {
    const { data, stringData, ...rest } = object as KubernetesObject & Record<string, unknown>;
    const copy = this.value(rest, '', 0) as Record<string, unknown>;
    if (data !== undefined) copy['data'] = this.#texts(data);
    if (stringData !== undefined) copy['stringData'] = this.#texts(stringData);
    const annotations = (copy['metadata'] as Record<string, unknown> | undefined)?.['annotations'];
    if (isRecord(annotations)) {
      const applied = annotations[LAST_APPLIED];
      if (typeof applied === 'string') annotations[LAST_APPLIED] = this.#text(applied);
    }
    return copy;
  }

  value(value: unknown, name: string, depth: number): unknown {
    if (typeof value === 'string') return SECRET_NAME.test(name) ? this.#text(value) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) return '(too deep)';
    if (Array.isArray(value)) return value.map((item) => this.value(item, name, depth + 1));
    return this.#record(value as Record<string, unknown>, depth);
  }

  #record(record: Record<string, unknown>, depth: number): Record<string, unknown> {
    const copy = emptyRecord();
    for (const [name, value] of Object.entries(record)) {
      copy[name] = this.value(value, name, depth + 1);
    }
    // An environment variable.
    const { name, value } = record;
    if (typeof name === 'string' && typeof value === 'string' && SECRET_NAME.test(name)) {
      copy['value'] = this.#text(value);
    }
    return copy;
  }

  /** All texts below a field of a secret. */
  #texts(data: unknown): unknown {
    if (!isRecord(data)) return this.#text(String(data));
    const copy = emptyRecord();
    for (const [name, value] of Object.entries(data)) copy[name] = this.#text(String(value));
    return copy;
  }

  #text(text: string): string {
    this.count += 1;
    return `(masked, ${text.length} characters)`;
  }
}

/** `__proto__` is a field like any other. */
function emptyRecord(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
