import type { Draw } from '../compare/draw.ts';
import { isRecord } from '../compare/normalise.ts';

type Schema = Readonly<Record<string, unknown>>;

const TEXTS = [
  'a',
  'example',
  'a.example.com',
  'v1',
  '10s',
  '1Gi',
  '/path',
  'A',
  '80',
  'https://example.com/x',
  'x'.repeat(300),
];
const BY_FORMAT: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2024-01-02T03:04:05Z', 'soon'],
  uri: ['https://example.com', 'not a uri'],
  byte: ['AAAA', '?'],
  duration: ['5s', 'long'],
};
const WRONG: readonly unknown[] = [
  null,
  'text',
  '',
  1.5,
  -1,
  true,
  [],
  {},
  [null],
  { surplus: 1 },
  1e12,
];
const DEEPEST = 8;
/** Of a text or list, whatever a schema asks for. */
const MOST = 1_000;

/** A value that follows a schema, as far as its types, required members and enums go. */
export function drawValue(draw: Draw, schema: unknown, depth: number = 0): unknown {
  if (!isRecord(schema)) return 'x';
  const choices = schema['enum'];
  if (Array.isArray(choices) && choices.length > 0) return draw.pick(choices as unknown[]);
  if (schema['x-kubernetes-int-or-string'] === true) return draw.pick([1, '25%', 'http']);
  switch (schema['type']) {
    case 'object':
      return drawObject(draw, schema, depth);
    case 'array':
      return drawList(draw, schema, depth);
    case 'integer':
    case 'number':
      return drawNumber(draw, schema);
    case 'boolean':
      return draw.chance(0.5);
    case 'string':
      return drawText(draw, schema);
    default:
      return draw.pick<unknown>(['x', 1, { any: [1] }]);
  }
}

function drawObject(draw: Draw, schema: Schema, depth: number): unknown {
  const object: Record<string, unknown> = {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const chance = depth < 2 ? 0.5 : 0.15;
  for (const [name, property] of Object.entries(recordOf(schema['properties']))) {
    if (!required.has(name) && (depth > DEEPEST || !draw.chance(chance))) continue;
    object[name] = drawValue(draw, property, depth + 1);
  }
  const additional = schema['additionalProperties'];
  if (isRecord(additional) && draw.chance(0.5)) {
    object['key'] = drawValue(draw, additional, depth + 1);
  }
  if (schema['x-kubernetes-embedded-resource'] === true) {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, ...object };
  }
  // A schema of additional properties holds for all of them.
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (preserves && !isRecord(additional) && draw.chance(0.5)) {
    object['unknown'] = { a: [1] };
  }
  return object;
}

function drawList(draw: Draw, { items, minItems, maxItems }: Schema, depth: number): unknown {
  const least = typeof minItems === 'number' ? Math.min(minItems, MOST) : 0;
  const most = typeof maxItems === 'number' ? maxItems : 3;
  const count = Math.min(
    Math.max(least, depth > DEEPEST ? 0 : draw.below(3)),
    Math.max(most, least),
  );
  return Array.from({ length: count }, () => drawValue(draw, items, depth + 1));
}

function drawNumber(draw: Draw, { minimum, maximum }: Schema): number {
  const least = typeof minimum === 'number' ? minimum : 0;
  const most = typeof maximum === 'number' ? maximum : least + 10;
  return draw.pick([least, most, Math.floor((least + most) / 2)]);
}

function drawText(draw: Draw, { format, minLength, maxLength }: Schema): string {
  const known = typeof format === 'string' ? BY_FORMAT[format] : undefined;
  if (known !== undefined) return draw.pick(known);
  const text = draw.pick(TEXTS).slice(0, draw.chance(0.9) ? 12 : 300);
  const least = typeof minLength === 'number' ? Math.min(minLength, MOST) : 0;
  const long = text.padEnd(least, 'x');
  return typeof maxLength === 'number' && draw.chance(0.9) ? long.slice(0, maxLength) : long;
}

/** Breaks a drawn value in one place: a member of another type, one too many or one too few. */
export function breakValue(draw: Draw, root: Record<string, unknown>): void {
  let at: Record<string, unknown> | unknown[] = root;
  while (draw.chance(0.75)) {
    const inner: unknown[] = Object.values(at).filter(
      (one) => typeof one === 'object' && one !== null,
    );
    if (inner.length === 0) break;
    at = draw.pick(inner as (Record<string, unknown> | unknown[])[]);
  }
  if (Array.isArray(at)) {
    if (draw.chance(0.5) && at.length > 0) at.push(structuredClone(at[0]));
    else at.push(structuredClone(draw.pick(WRONG)));
    return;
  }
  const names = Object.keys(at);
  const name = names.length === 0 || draw.chance(0.15) ? 'surplus' : draw.pick(names);
  if (draw.chance(0.2)) Reflect.deleteProperty(at, name);
  else at[name] = structuredClone(draw.pick(WRONG));
}

export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
