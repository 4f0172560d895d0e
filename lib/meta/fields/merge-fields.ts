import { atomOf } from './atom.ts';
import type { FieldSchema, ListSchema, MapSchema } from './field-schema.ts';
import { elementOf, elementText, isEmptyMap, isMap, type JsonMap } from './list-elements.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';

/**
 * The live value with the applied value merged into it by its schema. Neither is modified; the result shares parts with both.
 * Undefined as a value means that there is none.
 * @throws {ListwatchError} code FIELD_SCHEMA for an item of a list without its key, or for two applied items with the same key.
 * @see structured-merge-diff typed/merge.go @ v6.3.3
 */
export function mergeFields(schema: FieldSchema, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  const atom = atomOf(schema, applied);
  if (atom === 'map' && schema.map !== undefined) return mergeMaps(schema.map, live, applied);
  if (atom === 'list' && schema.list !== undefined) return mergeLists(schema.list, live, applied);
  return applied;
}

function mergeMaps(schema: MapSchema, live: unknown, applied: unknown): unknown {
  if (schema.atomic || (isEmptyMap(live) && isEmptyMap(applied))) return applied;
  const before: JsonMap = isMap(live) ? live : {};
  const changes: JsonMap = isMap(applied) ? applied : {};
  const result: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(changes)])) {
    const own = schema.declared(name) ?? schema.element;
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const wanted = Object.hasOwn(changes, name) ? changes[name] : undefined;
    const merged = own === undefined ? (wanted ?? old) : mergeFields(own, old, wanted);
    if (merged !== undefined) setMember(result, name, merged);
  }
  return result;
}

/** Sets an own property of any name, also `__proto__`. */
export function setMember(record: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, enumerable: true, configurable: true });
}

function mergeLists(schema: ListSchema, live: unknown, applied: unknown): unknown {
  const before = Array.isArray(live) ? (live as unknown[]) : [];
  const wanted = Array.isArray(applied) ? (applied as unknown[]) : [];
  if (schema.relationship === 'atomic' || before.length + wanted.length === 0) return applied;
  const merged = new ListMerge(schema, before, wanted).run();
  return merged.length === 0 ? undefined : merged;
}

/**
 * Merges the items of two lists by their keys. Items of the applied list come in its order; items that only the live list has keep
 * their places between them.
 */
class ListMerge {
  readonly #schema: ListSchema;
  readonly #liveItems: readonly unknown[];
  readonly #live: readonly string[];
  readonly #applied: readonly string[];
  readonly #liveByElement = new Map<string, unknown>();
  readonly #appliedByElement = new Map<string, unknown>();
  readonly #merged = new Set<string>();
  /** The elements of both lists, in the order of the applied list, from the next one on. */
  readonly #shared: string[];
  readonly #out: unknown[] = [];

  constructor(schema: ListSchema, live: readonly unknown[], applied: readonly unknown[]) {
    this.#schema = schema;
    this.#liveItems = live;
    this.#applied = applied.map((item) => {
      const element = elementOf(schema, item);
      if (this.#appliedByElement.has(element)) {
        throw new ListwatchError(
          'FIELD_SCHEMA',
          `duplicate entries for key ${elementText(element)}`,
        );
      }
      this.#appliedByElement.set(element, item);
      return element;
    });
    this.#live = live.map((item) => {
      const element = elementOf(schema, item);
      // Of live items with the same key none is merged with the applied one: it replaces them.
      this.#liveByElement.set(element, this.#liveByElement.has(element) ? null : item);
      return element;
    });
    this.#shared = this.#applied.filter((element) => this.#liveByElement.has(element));
  }

  run(): unknown[] {
    const [live, applied] = [this.#live, this.#applied];
    let left = 0;
    let right = 0;
    while (left < live.length || right < applied.length) {
      const element = live[left];
      if (element !== undefined) {
        if (element === applied[right]) {
          this.#take(element);
          this.#shared.shift();
          left += 1;
          right += 1;
          continue;
        }
        const isShared = this.#appliedByElement.has(element);
        if (right < applied.length && isShared && this.#isLater(element)) {
          left += 1;
          continue;
        }
        if (!isShared) {
          this.#push(this.#liveItems[left]);
          left += 1;
          continue;
        }
        if (this.#merged.has(element)) left += 1;
      }
      const next = applied[right];
      if (next === undefined) continue;
      this.#take(next);
      right += 1;
      if (this.#shared[0] === next) this.#shared.shift();
    }
    return this.#out;
  }

  /** Whether a shared item of the live list is not the next one of the applied list. */
  #isLater(element: string): boolean {
    return this.#shared.length > 0 && this.#shared[0] !== element;
  }

  #take(element: string): void {
    this.#merged.add(element);
    const live = this.#liveByElement.get(element);
    this.#push(mergeFields(this.#schema.element, live, this.#appliedByElement.get(element)));
  }

  #push(item: unknown): void {
    if (item !== undefined) this.#out.push(item);
  }
}
