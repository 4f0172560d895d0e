import {
  isValueType,
  type MessageField,
  type MessageType,
} from '../../../meta/types/message-type.ts';
import { isRecord } from '../../../meta/json-value.ts';
import { VALUE_KINDS } from './value-readers.ts';

/** The types whose values Go converts by itself; all others read JSON. */
const PLAIN: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'int64', 'double']);

/**
 * The first value that cannot become a value of its type, in the words of the conversion that a strategic merge patch uses; undefined
 * when there is none, or when its text is the trouble.
 * @see apimachinery pkg/runtime/converter.go fromUnstructured @ v0.36.3
 */
export function conversionProblem(
  message: MessageType | undefined,
  value: unknown,
): string | undefined {
  if (message === undefined || message.isUnion) return undefined;
  if (!isRecord(value)) return `cannot restore struct from: ${goKind(value)}`;
  for (const name of ['kind', 'apiVersion']) {
    const given = message.hasTypeMeta ? (value[name] ?? '') : '';
    const problem = plainProblem('string', given);
    if (problem !== undefined) return problem;
  }
  for (const field of message.byName.values()) {
    const given = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (given === undefined || given === null) continue;
    const problem = fieldProblem(field, given);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fieldProblem(field: MessageField, value: unknown): string | undefined {
  if (field.shape === 'list') {
    if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`;
    return first(value, field);
  }
  if (field.shape === 'map') {
    if (!isRecord(value)) return `cannot restore map from ${goKind(value)}`;
    return first(Object.values(value), field);
  }
  return itemProblem(field, value);
}

function first(items: readonly unknown[], field: MessageField): string | undefined {
  for (const item of items) {
    const problem = item === null ? undefined : itemProblem(field, item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function itemProblem({ type, message }: MessageField, value: unknown): string | undefined {
  if (!isValueType(type)) return conversionProblem(message, value);
  if (type === 'bytes') {
    return typeof value === 'string' ? undefined : `cannot restore slice from ${goKind(value)}`;
  }
  return PLAIN.has(type) ? plainProblem(type, value) : undefined;
}

function plainProblem(type: string, value: unknown): string | undefined {
  const goName = isValueType(type) ? VALUE_KINDS[type].goName : type;
  const found = goType(value);
  if (type === 'string' || type === 'bool') {
    const wanted = type === 'string' ? 'string' : 'boolean';
    if (typeof value === wanted) return undefined;
    // Go converts whole numbers to texts, but not as JSON means them.
    const converts = type === 'string' && found === 'int64';
    return converts ? `cannot convert int64 to string` : `unrecognized type: ${goName}`;
  }
  if (typeof value !== 'number') return `unrecognized type: ${goName}`;
  const fits = found === 'int64' || type === 'double';
  return fits ? undefined : `cannot convert float64 to ${goName}`;
}

function goType(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return goKind(value);
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map';
}
