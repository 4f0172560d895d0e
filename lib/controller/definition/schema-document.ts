import { errorMessage, ListwatchError } from '../../kernel/failure/errors.ts';
import { isFields, type Fields } from './schema-fields.ts';
import type { SchemaInput, StandardSchema } from './schema-input.ts';

/** Marks what a structural schema cannot hold, and why, so that its place can be named. */
export const UNREPRESENTABLE = 'x-listwatch-unrepresentable';

/** Kinds of zod that are no JSON, with what to use in their place. */
const REMEDIES: Readonly<Record<string, string>> = {
  date: 'a date is a text in JSON: use z.iso.datetime()',
  bigint: 'use z.int(), or z.string() for large numbers',
  map: 'use z.record(z.string(), …)',
  set: "use z.array(…).meta({ 'x-kubernetes-list-type': 'set' })",
  symbol: 'use z.string()',
  undefined: 'use .optional()',
  void: 'use .optional()',
  nan: 'use z.number()',
  never: 'leave the field out',
  function: 'leave the field out',
  promise: 'leave the field out',
  file: 'use z.string()',
};

/** Why tuples are refused. */
export const TUPLE =
  'items of a list must all have one schema; use an object with named fields in place of a tuple';

interface OverrideContext {
  readonly zodSchema: { readonly _zod?: { readonly def?: { readonly type?: string } } };
  readonly jsonSchema: Record<string, unknown>;
}

/** The JSON schema of a schema of the user. @throws {ListwatchError} code INVALID_OPTION. */
export function schemaDocument(schema: SchemaInput, place: string): Fields {
  const made = isStandard(schema) ? standardDocument(schema, place) : schema;
  if (isFields(made)) return made;
  throw new ListwatchError(
    'INVALID_OPTION',
    `${place}: it must be a schema of zod 4.2 or newer, of typebox, or a JSON schema, not ${schema === null ? 'null' : typeof schema}`,
  );
}

function standardDocument(schema: StandardSchema, place: string): object {
  const override = ({ zodSchema, jsonSchema }: OverrideContext): void => {
    const remedy = REMEDIES[zodSchema._zod?.def?.type ?? ''];
    if (remedy !== undefined) jsonSchema[UNREPRESENTABLE] = `JSON has no such value; ${remedy}`;
    // OpenAPI 3.0 says less of it: a list of any of its items.
    if (zodSchema._zod?.def?.type === 'tuple') jsonSchema[UNREPRESENTABLE] = TUPLE;
  };
  try {
    return schema['~standard'].jsonSchema.input({
      target: 'openapi-3.0',
      // Without them the first such kind throws, and does not say where it is.
      libraryOptions: { unrepresentable: 'any', override },
    });
  } catch (error) {
    const text = `${place}: the schema cannot be written as a JSON schema: ${errorMessage(error)}`;
    throw new ListwatchError('INVALID_OPTION', text, { cause: error });
  }
}

function isStandard(schema: SchemaInput): schema is StandardSchema {
  const standard: unknown = Reflect.get(Object(schema), '~standard');
  const made = typeof standard === 'object' && standard !== null ? standard : {};
  return typeof Reflect.get(Object(Reflect.get(made, 'jsonSchema')), 'input') === 'function';
}
