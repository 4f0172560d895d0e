import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The exports of a module of Node, which the simulator replaces. The place does not matter; compilers to CommonJS know no `import.meta`. */
export const builtinModule = createRequire(pathToFileURL('index.js').href) as (
  name: string,
) => Readonly<Record<string, object>>;
