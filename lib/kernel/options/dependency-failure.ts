import { errorMessage, ListwatchError } from '../failure/errors.ts';

/** Gives a bundle in one file of ESM the `require` that CommonJS packages call. */
const BANNER =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** The error for a package that is loaded when it is first used, and cannot be: one line with cause and remedy. */
export function dependencyFailure(name: string, error: unknown): ListwatchError {
  const [line = ''] = errorMessage(error).split('\n');
  const remedy = line.startsWith('Dynamic require of')
    ? `let the bundler put this line at the head of the file, as option banner of esbuild does: ${BANNER}`
    : `npm install ${name}, or let the bundler take it into the file`;
  return new ListwatchError(
    'DEPENDENCY',
    `the package ${name} cannot be loaded (${line}): ${remedy}`,
    {
      cause: error,
    },
  );
}
