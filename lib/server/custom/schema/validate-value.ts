import type { FieldCause } from '../../../meta/failure/failures.ts';
import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  fieldTooMany,
  fieldTypeInvalid,
} from '../../registry/rules/field-causes.ts';
import { isRecord, jsonEqual, type JsonRecord } from '../../../meta/json-value.ts';
import type { PatternBudget } from '../pattern/go-pattern.ts';
import { FieldPlace } from './field-place.ts';
import { goText } from './go-values.ts';
import { isInt64 } from '../../registry/rules/go-number.ts';
import { checkNumber, isNearlyWhole } from './number-rules.ts';
import type { SchemaNode } from './schema-node.ts';

/** Maximum number of causes: a hostile object may break a rule in every field. */
const MOST_CAUSES = 1000;

/**
 * The problems of a value, each text once, and how many rules it followed: of several schemas the one with the most is the
 * one whose causes are reported.
 */
class SchemaFindings {
  readonly causes: FieldCause[] = [];
  readonly #texts: string[] = [];
  readonly #seen = new Set<string>();
  matches: number = 0;

  get isFull(): boolean {
    return this.causes.length >= MOST_CAUSES;
  }

  add(text: string, cause: FieldCause): void {
    if (this.isFull || this.#seen.has(text)) return;
    this.#seen.add(text);
    this.#texts.push(text);
    this.causes.push(cause);
  }

  merge(other: SchemaFindings): void {
    for (const [index, cause] of other.causes.entries())
      this.add(other.#texts[index] as string, cause);
    this.matches += other.matches;
  }

  /** Forgets the causes that were found after there were so many. */
  keepFirst(count: number): void {
    this.causes.length = count;
    for (const text of this.#texts.splice(count)) this.#seen.delete(text);
  }
}

/** The bound of the steps that the patterns of a schema take for one object. */
const PATTERN_STEPS = 20_000_000;

/** No old value belongs to a new one. */
const NONE: unique symbol = Symbol('no old value');

export interface ValidateOptions {
  /** The prefix of the fields of the causes. */
  readonly root?: string;
  /** The value before an update: what is wrong in a part that did not change is let pass. */
  readonly old?: unknown;
}

/**
 * The causes why a value does not follow a schema, in the words of API servers.
 * @see kube-openapi pkg/validation/validate @ 43fb72c5454a; apiextensions-apiserver pkg/apiserver/validation @ v0.36.3
 */
export function validateValue(
  value: unknown,
  node: SchemaNode,
  options: ValidateOptions = {},
): FieldCause[] {
  const validator = new ValueValidator(options.root);
  const findings = new SchemaFindings();
  const old = Object.hasOwn(options, 'old') ? options.old : NONE;
  validator.ratchet(value, node, old, findings);
  return findings.causes;
}

class ValueValidator {
  readonly #place: FieldPlace;
  readonly #budget: PatternBudget = { steps: PATTERN_STEPS };

  constructor(root: string | undefined) {
    this.#place = new FieldPlace(root);
  }

  /** Checks a value; where it is as it was before, nothing is wrong with it. */
  ratchet(value: unknown, node: SchemaNode, old: unknown, into: SchemaFindings): void {
    const before = into.causes.length;
    this.#check(value, node, old, into);
    if (into.causes.length > before && old !== NONE && jsonEqual(old, value))
      into.keepFirst(before);
  }

  #check(value: unknown, node: SchemaNode, old: unknown, into: SchemaFindings): void {
    if (into.isFull) return;
    if (value === null || value === undefined) {
      if (node.types.length > 0 && !node.nullable)
        this.#wrongType(node.types.join(','), 'null', into);
      else into.matches += 1;
      this.#checkEnum(null, node, into);
      return;
    }
    if (node.types.length > 0 || node.format !== '') {
      this.#checkType(value, node, into);
      into.matches += 1;
    }
    if (hasCombinations(node)) this.#combinations(value, node, old, into);
    // Two: for the combinations themselves, and for having been asked.
    into.matches += 2;
    if (typeof value === 'string') this.#text(value, node, into);
    else if (typeof value === 'number') this.#number(value, node, into);
    else if (Array.isArray(value)) this.#list(value, node, old, into);
    if (node.values.length > 0) this.#checkEnum(value, node, into);
    into.matches += 1;
    if (isRecord(value)) {
      this.#record(value, node, old, into);
      into.matches += 1;
    }
    into.matches += 1;
  }

  #add(
    detail: string,
    make: (field: string, detail: string) => FieldCause,
    into: SchemaFindings,
  ): void {
    const { name } = this.#place;
    const text = `${name} in body ${detail}`;
    into.add(text, make(this.#place.fieldOf(name), text));
  }

  /** A cause that API servers attach to no place. */
  #addNowhere(text: string, into: SchemaFindings): void {
    into.add(text, fieldInvalid(this.#place.nowhere, '', text));
  }

  #wrongType(type: string, actual: string, into: SchemaFindings): void {
    const detail = `must be of type ${type}: ${JSON.stringify(actual)}`;
    this.#add(detail, (field, text) => fieldTypeInvalid(field, actual, text), into);
  }

  #checkType(value: unknown, { types, format }: SchemaNode, into: SchemaFindings): void {
    const actual = typeOf(value);
    const isWhole = actual === 'integer' || actual === 'number';
    const fits =
      types.includes(actual) ||
      (actual === 'integer' && types.includes('number')) ||
      (actual === 'number' && types.includes('integer') && isNearlyWhole(value as number));
    const numeric = types.includes('number') || types.includes('integer');
    const isText = typeof value === 'string' || Array.isArray(value);
    if (format !== '' && !isText && !fits) {
      // API servers name the format of the value here, which only numbers have.
      const named = isWhole ? (actual === 'integer' ? 'int64' : 'float64') : '';
      this.#wrongType(format, named, into);
    } else if (!fits && (numeric || format === '' || !isText)) {
      this.#wrongType(types.join(','), actual, into);
    } else into.matches += 1;
  }

  #checkEnum(value: unknown, { values }: SchemaNode, into: SchemaFindings): void {
    if (values.length === 0 || values.some((one) => sameInGo(value, one))) return;
    const { name } = this.#place;
    const field = this.#place.fieldOf(name);
    const supported = values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    const text = `${name} in body should be one of ${goText(values)}`;
    into.add(text, fieldNotSupported(field, value, supported));
  }

  #text(value: string, node: SchemaNode, into: SchemaFindings): void {
    this.#checkText(value, node, into);
    into.matches += 1;
    if (node.hasFormat === undefined) return;
    if (!node.hasFormat(value)) {
      const detail = `must be of type ${node.format}: ${JSON.stringify(value)}`;
      this.#add(detail, (field, text) => fieldTypeInvalid(field, value, text), into);
    }
    into.matches += 1;
  }

  /** Of several rules only the first one that is broken is reported. */
  #checkText(
    value: string,
    { limits, pattern, compiledPattern }: SchemaNode,
    into: SchemaFindings,
  ): void {
    const { minLength, maxLength } = limits;
    if (maxLength !== undefined && value.length > maxLength && runesOf(value) > maxLength) {
      const detail = `should be at most ${maxLength} chars long`;
      this.#add(
        detail,
        (field) => fieldTooLong(field, maxLength, maxLength === 1 ? 'byte' : 'bytes'),
        into,
      );
    } else if (minLength !== undefined && runesOf(value) < minLength) {
      this.#invalid(value, `should be at least ${minLength} chars long`, into);
    } else if (compiledPattern !== undefined) {
      const matches = compiledPattern.test(value, this.#budget);
      if (matches === true) return;
      const rest = matches === undefined ? ', but to test it takes more steps than allowed' : '';
      this.#invalid(value, `should match '${pattern}'${rest}`, into);
    }
  }

  #invalid(value: unknown, detail: string, into: SchemaFindings): void {
    this.#add(detail, (field, text) => fieldInvalid(field, value, text), into);
  }

  #number(value: number, node: SchemaNode, into: SchemaFindings): void {
    checkNumber(value, node, this.#place.name, (text, shown) => {
      if (shown === undefined) this.#addNowhere(text, into);
      else if (text.startsWith('factor')) {
        const field = this.#place.fieldOf(this.#place.name);
        into.add(text, fieldInvalid(field, shown, text));
      } else this.#invalid(shown, text, into);
    });
    into.matches += 2;
  }

  #list(value: readonly unknown[], node: SchemaNode, old: unknown, into: SchemaFindings): void {
    const { items, limits } = node;
    if (items !== undefined) {
      const before = oldItems(node, old);
      for (const [index, item] of value.entries()) {
        this.#place.enter(index);
        this.ratchet(item, items, before?.(item) ?? NONE, into);
        this.#place.leave();
        if (into.isFull) return;
      }
    }
    const { minItems, maxItems } = limits;
    if (minItems !== undefined && value.length < minItems) {
      this.#invalid(value.length, `should have at least ${minItems} items`, into);
    }
    if (maxItems !== undefined && value.length > maxItems) {
      const detail = `should have at most ${maxItems} items`;
      this.#add(detail, (field) => fieldTooMany(field, value.length, maxItems), into);
    }
    into.matches += 2;
  }

  #record(value: JsonRecord, node: SchemaNode, old: unknown, into: SchemaFindings): void {
    const names = Object.keys(value);
    const { minProperties, maxProperties } = node.limits;
    if (minProperties !== undefined && names.length < minProperties) {
      this.#invalid(names.length, `should have at least ${minProperties} properties`, into);
    }
    if (maxProperties !== undefined && names.length > maxProperties) {
      const detail = `should have at most ${maxProperties} properties`;
      this.#add(detail, (field) => fieldTooMany(field, names.length, maxProperties), into);
    }
    const { properties, additional } = node;
    const forbids = node.allowsAdditional === false;
    if (forbids || additional !== undefined) {
      for (const name of names) {
        if (properties.has(name)) continue;
        if (forbids) this.#surplus(name, into);
        else if (additional !== undefined) {
          this.#member(value, name, additional, old, into, this.#place.isRoot ? `.${name}` : name);
        }
      }
    }
    if (properties.size > 0) {
      for (const name of names) {
        const property = properties.get(name);
        if (property !== undefined) this.#member(value, name, property, old, into);
        if (into.isFull) return;
      }
    }
    for (const name of node.required) {
      if (!Object.hasOwn(value, name)) this.#missing(name, into);
    }
  }

  #surplus(name: string, into: SchemaFindings): void {
    const place = this.#place.name;
    const text = `${place}.${name} in body is a forbidden property`;
    into.add(text, fieldInvalid(this.#place.fieldOf(place), name, text));
  }

  #missing(name: string, into: SchemaFindings): void {
    const full = `${this.#place.name}.${name}`;
    into.add(`${full} in body is required`, fieldRequired(this.#place.fieldOf(full)));
  }

  #member(
    value: JsonRecord,
    name: string,
    node: SchemaNode,
    old: unknown,
    into: SchemaFindings,
    step: string = name,
  ): void {
    const isType = this.#place.isRoot && (name === 'kind' || name === 'apiVersion');
    const before = !isType && isRecord(old) && Object.hasOwn(old, name) ? old[name] : NONE;
    this.#place.enter(step);
    this.ratchet(value[name], node, before, into);
    this.#place.leave();
  }

  /** `anyOf`, `oneOf`, `allOf` and `not`. Of schemas that do not fit, the one that fits best gives the reason. */
  #combinations(value: unknown, node: SchemaNode, old: unknown, into: SchemaFindings): void {
    const { anyOf, oneOf, allOf, not } = node;
    const quoted = (): string => JSON.stringify(this.#place.name);
    if (anyOf.length > 0) {
      const { best, fitting } = this.#bestOf(value, anyOf, old, true);
      if (fitting === 0) {
        this.#addNowhere(`${quoted()} must validate at least one schema (anyOf)`, into);
      }
      if (best !== undefined) into.merge(best);
    }
    if (oneOf.length > 0) {
      const { best, fitting } = this.#bestOf(value, oneOf, old, false);
      if (fitting !== 1) {
        const count = fitting === 0 ? 'Found none valid' : `Found ${fitting} valid alternatives`;
        const rule = 'must validate one and only one schema (oneOf)';
        this.#addNowhere(`${quoted()} ${rule}. ${count}`, into);
      }
      if (best !== undefined && fitting < 2) into.merge(best);
    }
    let failed = 0;
    for (const one of allOf) {
      const found = this.#found(value, one, old);
      if (found.causes.length > 0) failed += 1;
      into.merge(found);
    }
    if (failed > 0) {
      const none = failed === allOf.length ? '. None validated' : '';
      this.#addNowhere(`${quoted()} must validate all the schemas (allOf)${none}`, into);
    }
    if (not !== undefined && this.#found(value, not, old).causes.length === 0) {
      this.#addNowhere(`${quoted()} must not validate the schema (not)`, into);
    }
  }

  #found(value: unknown, node: SchemaNode, old: unknown): SchemaFindings {
    const found = new SchemaFindings();
    this.#check(value, node, old, found);
    return found;
  }

  /** The first schema that fits, or the one that fits best, and how many fit. */
  #bestOf(
    value: unknown,
    nodes: readonly SchemaNode[],
    old: unknown,
    firstOnly: boolean,
  ): { readonly best: SchemaFindings | undefined; readonly fitting: number } {
    let failed: SchemaFindings | undefined;
    let fit: SchemaFindings | undefined;
    let fitting = 0;
    for (const node of nodes) {
      const found = this.#found(value, node, old);
      if (found.causes.length === 0) {
        fitting += 1;
        fit ??= found;
        if (firstOnly) break;
      } else if (failed === undefined || found.matches > failed.matches) failed = found;
    }
    return { best: fit ?? failed, fitting };
  }
}

function hasCombinations({ anyOf, oneOf, allOf, not }: SchemaNode): boolean {
  return anyOf.length > 0 || oneOf.length > 0 || allOf.length > 0 || not !== undefined;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number';
  return typeof value;
}

/** Whether a value is one of an enum: Go converts it to the type of that one first, which cuts off fractions. */
function sameInGo(value: unknown, one: unknown): boolean {
  if (one === null || value === null) return false;
  if (typeof value === 'number' && typeof one === 'number' && Number.isInteger(one)) {
    return Math.trunc(value) === one;
  }
  return jsonEqual(value, one);
}

/** Characters as Go counts them. */
function runesOf(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Finds the old item for a new one, in a list that is a map by keys; in others items have no identity. */
function oldItems(
  { listType, listKeys, items }: SchemaNode,
  old: unknown,
): ((item: unknown) => unknown) | undefined {
  if (listType !== 'map' || !Array.isArray(old)) return undefined;
  const keyOf = (item: unknown): string | undefined => {
    if (!isRecord(item)) return undefined;
    const key = (name: string): unknown =>
      Object.hasOwn(item, name) ? item[name] : items?.properties.get(name)?.fallback;
    return JSON.stringify(listKeys.map(key));
  };
  const byKey = new Map(old.map((item) => [keyOf(item), item as unknown]));
  return (item) => {
    const key = keyOf(item);
    return key === undefined ? undefined : byKey.get(key);
  };
}
