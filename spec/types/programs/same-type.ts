/** True when the two types are one, `any` included: `SameType<any, string>` is false. */
export type SameType<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only for `holds<SameType<A, B>>()` whose types are the same. */
export function holds<_Condition extends true>(): void {}
