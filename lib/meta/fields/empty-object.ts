import type { MessageField, MessageType } from '../types/message-type.ts';

/**
 * The JSON of a value of a built-in type in which no field was set: Go writes some fields also then, such as `"strategy": {}`. Frozen.
 * Server-side apply compares a new object with it, so these fields belong to no manager.
 */
export function emptyObject(message: MessageType): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  for (const field of message.byName.values()) {
    const value = emptyField(field);
    if (value !== undefined) result[field.name] = value;
  }
  return Object.freeze(result);
}

function emptyField({ presence, shape, type, message }: MessageField): unknown {
  if (presence === 'nullable') return null;
  if (presence !== 'always') return undefined;
  if (shape === 'list' || shape === 'map') return null;
  if (message !== undefined) return message.isUnion ? null : emptyObject(message);
  return emptyValue(type);
}

function emptyValue(type: string): unknown {
  if (type === 'string' || type === 'bytes') return '';
  if (type === 'bool') return false;
  if (type === 'Quantity') return '0';
  if (type === 'Duration') return '0s';
  return /^(?:int32|int64|double|IntOrString)$/.test(type) ? 0 : null;
}
