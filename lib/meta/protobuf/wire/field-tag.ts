import type { FieldFacts } from '../../types/message-type.ts';

/** The wire type of a value of a type. */
export function wireTypeOf(type: string): number {
  if (type === 'double') return 1;
  return type === 'bool' || type === 'int32' || type === 'int64' ? 0 : 2;
}

/** The tag of a field: its number, and the wire type of its values. An entry of a map is a message. */
export function tagOf({
  number,
  shape,
  type,
}: Pick<FieldFacts, 'number' | 'shape' | 'type'>): number {
  return (number << 3) | (shape === 'map' ? 2 : wireTypeOf(type));
}
