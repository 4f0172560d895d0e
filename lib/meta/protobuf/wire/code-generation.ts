let isAllowed: boolean | undefined;

/** Whether this process may make functions from text; Node forbids it with `--disallow-code-generation-from-strings`. */
export function mayGenerateCode(): boolean {
  if (isAllowed === undefined) {
    try {
      isAllowed = compileFunction({}, 'return true;') === true;
    } catch {
      isAllowed = false;
    }
  }
  return isAllowed;
}

/**
 * Runs a text in strict mode, and returns what it returns: a function. The text may use `parts` by their names. It has to come from this
 * package alone: never from input.
 * @throws {EvalError} when code generation is forbidden.
 */
export function compileFunction(parts: Readonly<Record<string, unknown>>, text: string): unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- decoders without it are slower than JSON.parse
  const make = new Function(...Object.keys(parts), `'use strict';\n${text}`) as (
    ...values: unknown[]
  ) => unknown;
  return make(...Object.values(parts));
}
