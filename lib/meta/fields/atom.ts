import type { FieldSchema } from './field-schema.ts';
import { isMap } from './list-elements.ts';

export type Atom = 'scalar' | 'list' | 'map';

/**
 * As which of the three a value is handled under a schema. A value that the schema does not allow, and null, are handled as the first
 * that it allows: map, scalar, list.
 * @see structured-merge-diff typed/helpers.go deduceAtom @ v6.3.3
 */
export function atomOf(schema: FieldSchema, value: unknown): Atom {
  if (value !== null && value !== undefined) {
    if (Array.isArray(value)) {
      if (schema.list !== undefined) return 'list';
    } else if (isMap(value)) {
      if (schema.map !== undefined) return 'map';
    } else if (schema.scalar !== undefined) return 'scalar';
  }
  if (schema.map !== undefined) return 'map';
  return schema.scalar === undefined ? 'list' : 'scalar';
}
