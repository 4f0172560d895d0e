import type { KubernetesObject } from '../object.ts';

/** The value type of a field; for an array, the type of its items. */
type Held<T> = NonNullable<T> extends readonly (infer Item)[] ? NonNullable<Item> : NonNullable<T>;

/** The paths that end with one of the fields of a type, for completion and messages. */
type Known<T, Prefix extends string> =
  Held<T> extends object ? `${Prefix}${keyof Held<T> & string}` : never;

/**
 * The path itself if `T` has it; otherwise the paths that could have been meant. The parts of a path are separated by dots: a
 * field of `T`, then a field of its value, and so on. A value of type `unknown` accepts every field.
 */
export type FieldPath<T, Path extends string, Prefix extends string = ''> = unknown extends T
  ? `${Prefix}${Path}`
  : Path extends `${infer Head}.${infer Rest}`
    ? Head extends keyof Held<T> & string
      ? FieldPath<Held<T>[Head], Rest, `${Prefix}${Head}.`>
      : Known<T, Prefix>
    : Held<T> extends object
      ? Path extends keyof Held<T> & string
        ? `${Prefix}${Path}`
        : Known<T, Prefix>
      : never;

/** Paths that are checked against `T`, each on its own. */
export type FieldPaths<T, Paths extends readonly string[]> = {
  readonly [Index in keyof Paths]: FieldPath<T, Paths[Index]>;
};

type Heads<Path extends string> = Path extends `${infer Head}.${string}` ? Head : Path;
type Rests<Path extends string, Head> = Path extends `${Head & string}.${infer Rest}`
  ? Rest
  : never;

/** The fields at the paths, and no others. In an array this applies to the items. */
type Picked<T, Path extends string> = T extends readonly (infer Item)[]
  ? readonly Picked<Item, Path>[]
  : T extends object
    ? string extends keyof T
      ? T
      : {
          readonly [Name in keyof T as Name extends Heads<Path> ? Name : never]: Name extends Path
            ? T[Name]
            : Picked<T[Name], Rests<Path, Name>>;
        }
    : T;

/** An object with only some of its fields: type, metadata, and the values at the paths. */
export type Projection<T extends KubernetesObject, Path extends string> = Pick<
  T,
  Extract<keyof T, keyof KubernetesObject>
> &
  Picked<Omit<T, keyof KubernetesObject>, Path>;
