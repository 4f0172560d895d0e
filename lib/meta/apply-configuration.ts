import type { ObjectMeta } from './object.ts';

/**
 * The body of a server-side apply: any part of an object. A list is whole items, each of which may be a part: the server merges lists
 * by their keys.
 */
export type ApplyPart<T> = T extends (...args: never) => unknown
  ? never
  : T extends readonly (infer Item)[]
    ? readonly ApplyPart<Item>[]
    : // `string & {}`, the open end of an enum, extends object too.
      T extends Date | string | number
      ? T
      : T extends object
        ? { readonly [Field in keyof T]?: ApplyPart<T[Field]> | undefined }
        : T;

/** The part of an object that a manager applies. Type and name say which object. */
export type ApplyConfiguration<T> = Omit<ApplyPart<T>, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string } & (T extends {
    readonly metadata?: infer Metadata;
  }
    ? ApplyPart<NonNullable<Metadata>>
    : ApplyPart<ObjectMeta>);
};
