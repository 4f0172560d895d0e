/**
 * A schema of zod 4, or of another package that makes JSON schemas by the interface Standard JSON Schema. It is called, so no package is
 * imported here. @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown> {
  readonly '~standard': {
    readonly types?: { readonly input: Input; readonly output: unknown } | undefined;
    readonly jsonSchema: { readonly input: (options: StandardOptions) => object };
  };
}

interface StandardOptions {
  readonly target: 'openapi-3.0';
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** A schema as above, or a JSON schema: of typebox, or written as such. */
export type SchemaInput = StandardSchema | object;

/** The type of the values of a schema, as they are written: fields with a default are optional. */
export type InferSchema<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : S extends { readonly '~unsafe': infer Unsafe }
    ? Unsafe
    : S extends { readonly static: infer Static }
      ? Static
      : FromJsonSchema<S>;

type FromJsonSchema<S> = S extends { readonly nullable: true }
  ? FromKeywords<S> | null
  : FromKeywords<S>;

type FromKeywords<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer One)[] }
      ? InferSchema<One>
      : S extends { readonly oneOf: readonly (infer One)[] }
        ? InferSchema<One>
        : S extends { readonly allOf: readonly [infer First, ...infer Rest] }
          ? InferSchema<First> &
              (Rest extends readonly [] ? unknown : FromKeywords<{ allOf: Rest }>)
          : S extends { readonly 'x-kubernetes-int-or-string': true }
            ? number | string
            : S extends { readonly type: infer Type }
              ? FromType<S, Type>
              : unknown;

type FromType<S, Type> = Type extends 'string'
  ? string
  : Type extends 'integer' | 'number'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? S extends { readonly items: infer Item }
            ? InferSchema<Item>[]
            : unknown[]
          : Type extends 'object'
            ? FromObject<S>
            : unknown;

type FromObject<S> = S extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [Name in keyof Properties as Name extends RequiredOf<S>
          ? Name
          : never]: InferSchema<Properties[Name]>;
      } & {
        -readonly [Name in keyof Properties as Name extends RequiredOf<S> ? never : Name]?:
          | InferSchema<Properties[Name]>
          | undefined;
      }
    >
  : S extends { readonly additionalProperties: infer Value }
    ? { [name: string]: Value extends boolean ? unknown : InferSchema<Value> }
    : S extends { readonly patternProperties: infer Patterns }
      ? { [name: string]: InferSchema<Patterns[keyof Patterns]> }
      : { [name: string]: unknown };

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type Flat<T> = { [Name in keyof T]: T[Name] };
