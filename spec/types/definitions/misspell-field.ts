import { isRecord } from '../../compare/normalise.ts';
import type { Draw } from '../../compare/draw.ts';
import { recordOf } from '../../definitions/draw-object.ts';

interface Place {
  readonly container: Record<string, unknown>;
  readonly name: string;
  readonly required: boolean;
}

/** Fields that every object has; they are not those of the schema. */
const COMMON = new Set(['apiVersion', 'kind', 'metadata']);
const PRESERVES = 'x-kubernetes-preserve-unknown-fields';

/**
 * A copy of an object in which one field has a letter too many, an optional one where there is one. A surplus field, if the object
 * has no field of its own. Undefined if its schema preserves unknown fields.
 */
export function misspellField(
  draw: Draw,
  schema: unknown,
  object: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const copy = structuredClone(object);
  const places = [...placesIn(schema, copy)];
  const optional = places.filter(({ required }) => !required);
  if (places.length === 0) {
    return recordOf(schema)[PRESERVES] === true ? undefined : { ...copy, misspelt: 1 };
  }
  const { container, name } = draw.pick(optional.length > 0 ? optional : places);
  container[`${name}X`] = container[name];
  Reflect.deleteProperty(container, name);
  return copy;
}

function* placesIn(schema: unknown, value: unknown): Generator<Place> {
  const { properties, items, additionalProperties, required, ...rest } = recordOf(schema);
  if (Array.isArray(value)) {
    // A list that preserves unknown fields passes this on to its items.
    const inner = rest[PRESERVES] === true ? { ...recordOf(items), [PRESERVES]: true } : items;
    for (const one of value as unknown[]) yield* placesIn(inner, one);
  }
  if (!isRecord(value)) return;
  const known = recordOf(properties);
  for (const [name, inner] of Object.entries(value)) {
    if (!Object.hasOwn(known, name)) {
      yield* placesIn(additionalProperties, inner);
      continue;
    }
    if (COMMON.has(name)) continue;
    yield* placesIn(known[name], inner);
    if (rest[PRESERVES] === true || Object.hasOwn(known, `${name}X`)) continue;
    const isRequired = Array.isArray(required) && required.includes(name);
    yield { container: value, name, required: isRequired };
  }
}
