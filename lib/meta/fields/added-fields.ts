import { atomOf, type Atom } from './atom.ts';
import { compareFields, sameValue, type Comparison } from './compare-fields.ts';
import type { FieldSchema, ListSchema, MapSchema } from './field-schema.ts';
import { elementOf, isEmptyMap, isMap, type JsonMap } from './list-elements.ts';

/** Markers of a step that are not names. */
const SAME = 0;
const CHANGED = 1;
const MAP = 2;
const LIST = 3;
const END = 4;
type Step = string | typeof SAME | typeof CHANGED | typeof MAP | typeof LIST | typeof END;

/** The forms with the same first steps. */
interface Form<R> {
  next: Map<Step, Form<R>> | undefined;
  result: R | undefined;
}

/** Most steps that are kept; after them all forms are forgotten. A form with a longer name is not remembered. */
const MOST_STEPS = 5_000;
const LONGEST_STEP = 256;

/**
 * The fields that values have beyond one empty value, remembered by the form of a value: its names, the keys of its items, and where it
 * differs from the empty value. Objects of one template have one form, and what is made of their fields is made once.
 */
export class AddedFields<R> {
  readonly #schema: FieldSchema;
  readonly #empty: unknown;
  readonly #make: (fields: Comparison) => R;
  #first: Form<R> = newForm();
  #at: Form<R> = this.#first;
  #steps = 0;
  #isShort = true;

  /** @param make What is remembered of the difference to the empty value; it is shared and must not be modified. */
  constructor(schema: FieldSchema, empty: unknown, make: (fields: Comparison) => R) {
    this.#schema = schema;
    this.#empty = empty;
    this.#make = make;
  }

  /** @throws {ListwatchError} code FIELD_SCHEMA for an item of a list without its key. */
  of(value: unknown): R {
    if (this.#steps > MOST_STEPS) {
      this.#first = newForm();
      this.#steps = 0;
    }
    this.#at = this.#first;
    this.#isShort = true;
    this.#compare(this.#schema, this.#empty, value);
    const form = this.#at;
    if (form.result !== undefined && this.#isShort) return form.result;
    const result = this.#make(compareFields(this.#schema, this.#empty, value));
    if (this.#isShort) form.result = result;
    return result;
  }

  #step(step: Step): void {
    if (typeof step === 'string' && step.length > LONGEST_STEP) this.#isShort = false;
    if (!this.#isShort) return;
    const next = (this.#at.next ??= new Map<Step, Form<R>>());
    let form = next.get(step);
    if (form === undefined) {
      form = newForm();
      next.set(step, form);
      this.#steps += 1;
    }
    this.#at = form;
  }

  /** The comparison on which the modified and added fields depend, as in `compareFields`. */
  #compare(schema: FieldSchema, left: unknown, right: unknown): void {
    if (left === right || right === undefined) this.#step(SAME);
    else if (left === undefined) this.#add(schema, right);
    else if (isOpen(schema.map) && (left === null || isMap(left)) && !isEmptyMap(right)) {
      this.#compareMaps(schema.map, left ?? {}, right as JsonMap);
    } else {
      const atom = atomOf(schema, right);
      if (!isAtomic(schema, atom) || atom !== atomOf(schema, left)) {
        this.#step(JSON.stringify([right]));
      } else this.#step(sameValue(left, right) ? SAME : CHANGED);
    }
  }

  #compareMaps(schema: MapSchema, left: JsonMap, right: JsonMap): void {
    this.#step(MAP);
    for (const name of Object.keys(right)) {
      const own = schema.declared(name) ?? schema.element;
      if (own === undefined) continue;
      this.#step(name);
      this.#compare(own, Object.hasOwn(left, name) ? left[name] : undefined, right[name]);
    }
    this.#step(END);
  }

  #add(schema: FieldSchema, value: unknown): void {
    const atom = atomOf(schema, value);
    if (atom === 'map' && isOpen(schema.map) && isMap(value)) {
      this.#step(MAP);
      for (const name of Object.keys(value)) {
        const own = schema.map.declared(name) ?? schema.map.element;
        this.#step(name);
        if (own === undefined) this.#step(CHANGED);
        else this.#add(own, value[name]);
      }
      this.#step(END);
    } else if (atom === 'list' && isOpenList(schema.list) && Array.isArray(value)) {
      this.#step(LIST);
      for (const item of value as unknown[]) {
        this.#step(elementOf(schema.list, item));
        this.#add(schema.list.element, item);
      }
      this.#step(END);
    } else this.#step(CHANGED);
  }
}

function isOpen(schema: MapSchema | undefined): schema is MapSchema {
  return schema !== undefined && !schema.atomic;
}

function isOpenList(schema: ListSchema | undefined): schema is ListSchema {
  return schema !== undefined && schema.relationship !== 'atomic';
}

/** Whether a value that is handled so has no fields of its own. */
function isAtomic({ map, list }: FieldSchema, atom: Atom): boolean {
  if (atom === 'map') return map === undefined || map.atomic;
  return atom === 'scalar' || list === undefined || list.relationship === 'atomic';
}

function newForm<R>(): Form<R> {
  return { next: undefined, result: undefined };
}
