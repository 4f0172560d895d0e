import type { FieldCause } from '../../../meta/failure/failures.ts';
import { fieldInvalid } from '../../registry/rules/field-causes.ts';
import { isRecord, textAt, valueAt, type JsonRecord } from '../../../meta/json-value.ts';
import { embeddedCauses } from '../schema/embedded-objects.ts';
import { goText } from '../schema/go-values.ts';
import { duplicateItems } from '../schema/list-kinds.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { validateValue } from '../schema/validate-value.ts';

const LARGEST_INT32 = 2 ** 31 - 1;

/** The rules of the objects of a custom kind. */
export interface CustomRules {
  readonly node: SchemaNode;
  readonly scale: JsonRecord | undefined;
}

/**
 * The causes why an object does not follow the schema of its definition.
 * @see apiextensions-apiserver pkg/registry/customresource/strategy.go @ v0.36.3
 */
export function validateCustom(object: JsonRecord, { node, scale }: CustomRules): FieldCause[] {
  return withBlocked(node, [
    ...validateValue(object, node),
    ...specScaleCauses(object, scale),
    ...statusScaleCauses(object, scale),
    ...embeddedCauses(object, node),
    ...duplicateItems(object, node),
  ]);
}

/** Unchanged values are not refused. */
export function validateCustomUpdate(
  object: JsonRecord,
  old: JsonRecord,
  { node, scale }: CustomRules,
): FieldCause[] {
  const checksLists = node.deep.lists && duplicateItems(old, node).length === 0;
  return withBlocked(node, [
    ...validateValue(object, node, { old }),
    ...specScaleCauses(object, scale),
    ...statusScaleCauses(object, scale),
    ...embeddedCauses(object, node),
    ...(checksLists ? duplicateItems(object, node) : []),
  ]);
}

/** The status through its own subresource. */
export function validateCustomStatus(
  object: JsonRecord,
  old: JsonRecord,
  { node, scale }: CustomRules,
): FieldCause[] {
  const status = node.properties.get('status');
  const checksLists = node.deep.lists && duplicateItems(old, node).length === 0;
  const has = Object.hasOwn(object, 'status') && status !== undefined;
  const before = Object.hasOwn(old, 'status') ? { old: old['status'] } : {};
  return withBlocked(node, [
    ...(has ? validateValue(object['status'], status, { root: 'status', ...before }) : []),
    ...statusScaleCauses(object, scale),
    ...(checksLists ? duplicateItems(object, node) : []),
  ]);
}

const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** With rules in CEL, some causes are followed by the remark that the rules were not checked. */
function withBlocked({ deep }: SchemaNode, causes: FieldCause[]): FieldCause[] {
  if (!deep.rules || !causes.some(({ reason }) => BLOCKING.has(reason))) return causes;
  const detail =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [...causes, fieldInvalid('<nil>', null, detail)];
}

function specScaleCauses(object: JsonRecord, scale: JsonRecord | undefined): FieldCause[] {
  return scale === undefined ? [] : countCauses(object, textAt(scale, 'specReplicasPath'));
}

function statusScaleCauses(object: JsonRecord, scale: JsonRecord | undefined): FieldCause[] {
  if (scale === undefined) return [];
  const causes = countCauses(object, textAt(scale, 'statusReplicasPath'));
  const path = textAt(scale, 'labelSelectorPath');
  const problem = path === '' ? undefined : accessProblem(object, path, 'string');
  return problem === undefined ? causes : [...causes, fieldInvalid(path, '', problem)];
}

function countCauses(object: JsonRecord, path: string): FieldCause[] {
  const problem = accessProblem(object, path, 'int64');
  if (problem !== undefined) return [fieldInvalid(path, 0, problem)];
  const count = valueAt(object, ...path.split('.').slice(1));
  if (typeof count !== 'number') return [];
  if (count < 0) return [fieldInvalid(path, count, 'should be a non-negative integer')];
  if (count <= LARGEST_INT32) return [];
  return [fieldInvalid(path, count, `should be less than or equal to ${LARGEST_INT32}`)];
}

/** Why a value cannot be read at a path, in the words of Go's accessors; a missing one can. */
function accessProblem(
  object: JsonRecord,
  path: string,
  type: 'int64' | 'string',
): string | undefined {
  const names = path.split('.').slice(1);
  let value: unknown = object;
  for (const [index, name] of names.entries()) {
    if (value === null || value === undefined) return undefined;
    if (!isRecord(value)) {
      const at = `.${names.slice(0, index + 1).join('.')}`;
      return accessError(at, value, 'map[string]interface{}');
    }
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  const fits = type === 'string' ? typeof value === 'string' : Number.isInteger(value);
  return fits ? undefined : accessError(`.${names.join('.')}`, value, type);
}

function accessError(path: string, value: unknown, type: string): string {
  return `${path} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${type}`;
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
