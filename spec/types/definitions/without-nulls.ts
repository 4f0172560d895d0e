import { isRecord } from '../../compare/normalise.ts';
import { recordOf } from '../../definitions/draw-object.ts';

/**
 * A value without the fields that are null where the schema does not allow null. A server drops them before it looks at anything else; the
 * types ask for leaving them out.
 */
export function withoutNulls(schema: unknown, value: unknown): unknown {
  const { properties, items, additionalProperties } = recordOf(schema);
  if (Array.isArray(value)) return value.map((one: unknown) => withoutNulls(items, one));
  if (!isRecord(value)) return value;
  const known = recordOf(properties);
  const kept = Object.entries(value).flatMap(([name, inner]) => {
    const property = Object.hasOwn(known, name) ? known[name] : additionalProperties;
    const drop = inner === null && isRecord(property) && property['nullable'] !== true;
    return drop ? [] : [[name, withoutNulls(property, inner)] as const];
  });
  return Object.fromEntries(kept);
}
