/** Functions that have been passed, "file#function", in their order, while it is on. */
let passed: string[] | undefined;

Object.assign(globalThis, { __passed: (name: string) => passed?.push(name) });

export function startTrace(): void {
  passed = [];
}

/** Each function once, in the order of their first passes. */
export function endTrace(): string[] {
  const names = [...new Set(passed)];
  passed = undefined;
  return names;
}
