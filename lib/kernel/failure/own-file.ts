import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The path of the file that this code runs from: a module of the package, or the bundle that it is part of. Undefined for code that was
 * evaluated, and with a frozen Error. Not by `import.meta`, which compilers to CommonJS leave as it is: the program would not load.
 */
export function ownFile(): string | undefined {
  const { stackTraceLimit } = Error;
  // oxlint-disable-next-line typescript/unbound-method -- it is put back as it was
  const { prepareStackTrace } = Error;
  const place: { stack?: unknown } = {};
  try {
    Reflect.set(Error, 'stackTraceLimit', 1);
    const fileOf: typeof prepareStackTrace = (_, [site]) => site?.getFileName();
    if (!Reflect.set(Error, 'prepareStackTrace', fileOf)) return undefined;
    Error.captureStackTrace(place);
    // It is formatted when it is read.
    const { stack } = place;
    return typeof stack === 'string' ? pathOf(stack) : undefined;
  } finally {
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
    Reflect.set(Error, 'prepareStackTrace', prepareStackTrace);
  }
}

/**
 * The folder of the package, with a slash at its end, by the path of one of its modules: published in `dist`, and in the repository in `lib`.
 * Undefined when the module is part of a bundle, whose folder may have these names too.
 */
export function packageFolder(file: string | undefined = ownFile()): string | undefined {
  const path = file?.replaceAll('\\', '/') ?? '';
  const [, repository] = /^(.*\/)lib\/kernel\/failure\/own-file\.ts$/.exec(path) ?? [];
  if (repository !== undefined) return repository;
  const [, folder] = /^(.*\/)dist\//.exec(path) ?? [];
  if (folder === undefined) return undefined;
  return folder.endsWith('/node_modules/listwatch/') || isPackage(folder) ? folder : undefined;
}

/** A package may have been installed under another name. */
function isPackage(folder: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as {
      readonly name?: unknown;
    };
    return name === 'listwatch';
  } catch {
    return false;
  }
}

/** The folder `lib`, with a slash at its end, when the sources run; undefined in the published package. */
export function sourceFolder(): string | undefined {
  return /^(.*[\\/]lib[\\/])kernel[\\/]failure[\\/]own-file\.ts$/.exec(ownFile() ?? '')?.[1];
}

/** The path of a file that a stack names; undefined for code that was evaluated. */
export function pathOf(name: string): string | undefined {
  if (isAbsolute(name)) return name;
  try {
    return name.startsWith('file:') ? fileURLToPath(name) : undefined;
  } catch {
    return undefined;
  }
}
