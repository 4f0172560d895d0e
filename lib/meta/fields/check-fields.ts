import { atomOf } from './atom.ts';
import type { FieldSchema, ListSchema, MapSchema, ScalarType } from './field-schema.ts';
import { elementOf, elementText, isMap } from './list-elements.ts';
import { isListwatchError } from '../../kernel/failure/errors.ts';

/**
 * The problems of an applied value, one line each: fields that the schema does not declare, values of another shape, items without
 * a key or with the same key.
 * @see structured-merge-diff typed/validate.go @ v6.3.3
 */
export function fieldProblems(schema: FieldSchema, value: unknown): string[] {
  return problems(schema, value, '');
}

function problems(schema: FieldSchema, value: unknown, path: string): string[] {
  if (value === null) return [];
  const atom = atomOf(schema, value);
  if (atom === 'map' && schema.map !== undefined) return mapProblems(schema.map, value, path);
  if (atom === 'list' && schema.list !== undefined) return listProblems(schema.list, value, path);
  return scalarProblems(schema.scalar, value, path);
}

function scalarProblems(type: ScalarType | undefined, value: unknown, path: string): string[] {
  const found = typeof value;
  if (type === 'string' && found !== 'string') {
    return [`${path}: expected string, got &value.valueUnstructured{Value:${goValue(value)}}`];
  }
  if (type === 'numeric' && found !== 'number') {
    return [`${path}: expected numeric (int or float), got ${goType(value)}`];
  }
  if (type === 'boolean' && found !== 'boolean') {
    return [`${path}: expected boolean, got ${described(value)}`];
  }
  if (type === 'untyped' && found === 'object') {
    return [`${path}: expected any scalar, got ${described(value)}`];
  }
  return [];
}

function mapProblems(schema: MapSchema, value: unknown, path: string): string[] {
  if (!isMap(value)) return [`${path}: expected map, got ${described(value)}`];
  const found: string[] = [];
  for (const name of Object.keys(value)) {
    const here = `${path}.${name}`;
    const own = schema.declared(name) ?? schema.element;
    // Upstream stops at the first field that is not declared.
    if (own === undefined) return [...found, `${here}: field not declared in schema`];
    found.push(...problems(own, value[name], here));
  }
  return found;
}

function listProblems(schema: ListSchema, value: unknown, path: string): string[] {
  if (!Array.isArray(value)) return [`${path}: expected list, got ${described(value)}`];
  const found: string[] = [];
  const seen = new Set<string>();
  for (const [index, item] of (value as unknown[]).entries()) {
    let element = `i:${index}`;
    if (schema.relationship !== 'atomic') {
      try {
        element = elementOf(schema, item);
      } catch (error) {
        if (!isListwatchError(error, 'FIELD_SCHEMA')) throw error;
        return [...found, `${path}: element ${index}: ${error.message}`];
      }
      if (seen.has(element)) {
        found.push(`${path}: duplicate entries for key ${elementText(element)}`);
      }
      seen.add(element);
    }
    found.push(...problems(schema.element, item, `${path}${elementText(element)}`));
  }
  return found;
}

function described(value: unknown): string {
  return `&{${goText(value)}}`;
}

/** A value in the words of Go's `%v`. */
function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isMap(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  const members = Object.keys(value)
    .toSorted()
    .map((name) => `${name}:${goText(value[name])}`);
  return `map[${members.join(' ')}]`;
}

/** The type of a value in Go, of what is no number. */
function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return isMap(value) ? 'map[string]interface {}' : 'string';
}

/** A value in the words of Go's `%#v`, as far as it fits into a message. */
function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goValue).join(', ')}}`;
  if (!isMap(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${goValue(member)}`,
  );
  return `map[string]interface {}{${members.join(', ')}}`;
}
