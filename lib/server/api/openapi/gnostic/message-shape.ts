/** How the value of a field is written: a scalar, YAML, or a message of the named shape. */
export type FieldType =
  | 'string'
  | 'strings'
  | 'bool'
  | 'int64'
  | 'double'
  | 'any'
  | 'anys'
  | { readonly message: string }
  | { readonly messages: string };

/** A field by the name that it has in JSON. */
export type Fields = Readonly<Record<string, readonly [number: number, type: FieldType]>>;

/**
 * How one message of the OpenAPI models is made from JSON:
 * - `fields`: an object with known members; members that begin with `x-` are extensions.
 * - `entries`: an object with any names; each entry is a message with the name and the value.
 * - `choose`: one of several forms, by the value.
 * - `list`: a list with the field number of its items; a single value is a list of one.
 */
export type MessageShape =
  | { readonly fields: Fields; readonly extensions?: number | undefined }
  | {
      readonly entries: readonly [number: number, type: FieldType];
      readonly extensions?: number | undefined;
      /** An entry that has a field of its own. */
      readonly own?: Fields | undefined;
    }
  | { readonly choose: (value: unknown) => readonly [number: number, type: FieldType] }
  | { readonly list: readonly [number: number, type: FieldType] };

/** The messages of one version of OpenAPI by name; `Document` is the root. */
export type MessageShapes = Readonly<Record<string, MessageShape>>;

export function one(message: string): FieldType {
  return { message };
}

export function many(messages: string): FieldType {
  return { messages };
}

/** The field of a value that is either a reference to a definition or the message itself. */
export function orReference(message: string, reference: string): MessageShape {
  return {
    choose: (value) =>
      typeof value === 'object' && value !== null && '$ref' in value
        ? [2, { message: reference }]
        : [1, { message }],
  };
}
