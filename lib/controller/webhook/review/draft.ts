/** A copy of a value: it cannot be changed, or holds nothing that can. */
type Plain = string | number | boolean | bigint | symbol | null | undefined | Date;

/** `T` as a copy that may be changed: no property is read-only, at any depth. */
export type Draft<T> = unknown extends T
  ? T
  : T extends Plain
    ? T
    : { -readonly [Field in keyof T]: Draft<T[Field]> };
