import { sameContent } from '../../meta/content/same-content.ts';
import type { KubernetesObject, ObjectMeta } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { is, optionsOf, type OptionsSchema } from '../../kernel/options/options-schema.ts';

/** One field that is another one than when the object was handled last. */
export interface FieldChange {
  /** E.g. `spec.replicas`. A list is one field. */
  readonly path: string;
  /** Undefined: it was not there. */
  readonly old: unknown;
  /** Undefined: it is no longer there. */
  readonly new: unknown;
}

export interface HandledOptions {
  /**
   * Keeps the state in this annotation of the object, such as `example.com/last-handled`, so that it outlives the program; at most 200 KiB.
   * @defaultValue kept in memory: after a start, no object was handled before
   */
  readonly annotation?: string | undefined;
}

export const HANDLED: OptionsSchema<HandledOptions> = optionsOf<HandledOptions>()(
  'controller.remembers',
  { annotation: is.text() },
);

/** The changes of an object since its last reconcile that did not fail. */
export interface Handled {
  /** Whether there is a last one. */
  readonly before: boolean;
  /** Of labels, annotations, and all fields besides metadata and status. All fields of an object that was not handled before. */
  readonly changes: readonly FieldChange[];
}

type Json = Readonly<Record<string, unknown>>;

const LARGEST_ANNOTATION = 200 * 1024;
const KUBECTL = 'kubectl.kubernetes.io/last-applied-configuration';
const NOT_OF_AUTHORS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** The last handled state of each object. In memory: one state for each object that is there. */
export class HandledStates {
  readonly #annotation: string | undefined;
  readonly #states = new Map<string, { readonly uid: string; readonly state: Json }>();

  constructor({ annotation }: HandledOptions) {
    this.#annotation = annotation;
  }

  /** The changes since then. */
  of(key: string, object: Stored<KubernetesObject>): Handled {
    const before = this.#last(key, object);
    const changes: FieldChange[] = [];
    compare(before ?? {}, this.#stateOf(object), '', changes);
    return { before: before !== undefined, changes };
  }

  /**
   * The object was handled. With an annotation: the patch that says so, if there is something to say.
   * @throws {ListwatchError} code REQUEST_ENTITY_TOO_LARGE when the state does not fit into an annotation.
   */
  handled(key: string, object: Stored<KubernetesObject>): object | undefined {
    const state = this.#stateOf(object);
    if (this.#annotation === undefined) {
      this.#states.set(key, { uid: object.metadata.uid, state });
      return undefined;
    }
    const last = this.#last(key, object);
    if (last !== undefined && sameContent([last], [state])) return undefined;
    const text = JSON.stringify(state);
    const bytes = Buffer.byteLength(text);
    if (bytes > LARGEST_ANNOTATION) {
      const problem = `${key}: its state takes ${bytes} bytes, more than fit into the annotation ${this.#annotation}; keep the last handled states in memory, without option "annotation"`;
      throw new ListwatchError('REQUEST_ENTITY_TOO_LARGE', problem);
    }
    return { metadata: { annotations: { [this.#annotation]: text } } };
  }

  forget(key: string): void {
    this.#states.delete(key);
  }

  #last(key: string, { metadata }: Stored<KubernetesObject>): Json | undefined {
    if (this.#annotation === undefined) {
      const last = this.#states.get(key);
      return last?.uid === metadata.uid ? last.state : undefined;
    }
    const { annotations }: ObjectMeta = metadata;
    return parsed(annotations?.[this.#annotation]);
  }

  #stateOf(object: Stored<KubernetesObject>): Json {
    const { labels, annotations = {} }: ObjectMeta = object.metadata;
    const own = Object.entries(annotations).filter(
      ([name]) => name !== this.#annotation && name !== KUBECTL,
    );
    const fields = Object.entries(object).filter(([name]) => !NOT_OF_AUTHORS.has(name));
    const metadata = { labels: labels ?? {}, annotations: Object.fromEntries(own) };
    return { metadata, ...Object.fromEntries(fields) };
  }
}

/** Text that another program has written counts as none. */
function parsed(text: string | undefined): Json | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function compare(before: unknown, now: unknown, path: string, changes: FieldChange[]): void {
  if (before === now) return;
  if (isRecord(before) && isRecord(now)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
      compare(before[name], now[name], path === '' ? name : `${path}.${name}`, changes);
    }
  } else if (isRecord(now) && before === undefined) compare({}, now, path, changes);
  else if (!sameContent([before], [now])) changes.push({ path, old: before, new: now });
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
