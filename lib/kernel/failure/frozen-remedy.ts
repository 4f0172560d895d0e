import { errorMessage } from './errors.ts';

/** The texts with which V8 and JavaScriptCore refuse to modify a frozen object. */
const REFUSED =
  /read.?only property|is not extensible|^Cannot (?:delete|redefine) property|^Unable to delete property/;

const REMEDY =
  'objects of a cache are shared and frozen: change a copy, structuredClone(object); see docs/guides/objects.md, "Objects of a cache"';

/** The message of an error that user code threw; of a modification of a frozen object, and of nothing, also what to do. */
export function thrownMessage(error: unknown): string {
  if (error === undefined || error === null)
    return `${error} was thrown; throw an Error that says why`;
  const message = errorMessage(error);
  // The text first: of a value that cannot be read, its class cannot be asked either.
  return REFUSED.test(message) && error instanceof TypeError ? `${message}; ${REMEDY}` : message;
}
