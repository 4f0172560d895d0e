import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { BUNDLE, BUNDLED } from '../package/bundled-packages.ts';
import { entriesOf, readManifest, ROOT } from '../package/manifest.ts';

const manifest = readManifest();
const entries = entriesOf(manifest);
/** Some are CommonJS, whose `require` a bundle of modules does not have. */
const TOOLS = Object.keys(manifest.devDependencies).filter((name) => !(name in BUNDLED));
const CLI = join(ROOT, 'lib', 'cli', 'listwatch.ts');
const OWN_FILE = join(ROOT, 'lib', 'kernel', 'failure', 'own-file.ts');

/** The package by its names; and a file knows where its source is. */
const checkout: Plugin = {
  name: 'checkout',
  setup: (asked) => {
    asked.onResolve({ filter: /^listwatch(?:\/|$)/ }, ({ path }) => {
      const entry = entries.get(path)?.['@listwatch/source'];
      return entry === undefined ? undefined : { path: join(ROOT, entry) };
    });
    asked.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      // It starts itself again by its place.
      if (path === CLI) return undefined;
      return { contents: placedSource(path), loader: 'ts', resolveDir: dirname(path) };
    });
  },
};

/** The source of a file that knows where it is when it is part of a bundle too. */
export function placedSource(path: string): string {
  const text = readFileSync(path, 'utf8');
  return (
    (path === OWN_FILE ? withOwnFile(text) : text)
      // A text may speak of it.
      .replaceAll(/(["'])(?:\\.|(?!\1)[^\\\n])*\1|import\.meta\.url/g, (found) =>
        found === 'import.meta.url' ? JSON.stringify(pathToFileURL(path).href) : found,
      )
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
  );
}

/** The function that finds its own file finds its source. */
function withOwnFile(text: string): string {
  const head = 'export function ownFile(): string | undefined {';
  if (!text.includes(head)) throw new Error(`${OWN_FILE} has no ${head}`);
  return text.replace(head, `${head} return ${JSON.stringify(OWN_FILE)};`);
}

function builtName(path: string): string {
  return join(dirname(path), basename(path).replace(/\.m?[tj]s$/, '.mjs'));
}

/**
 * Makes JavaScript of programs, with the package as it is in the checkout, and returns where each one is. They start on plain Node in a
 * fifth of the time that they take through tsx, which loads a thousand files.
 * @param folder below the checkout, so that packages are found
 */
export async function plainPrograms(
  sources: readonly string[],
  folder: string,
): Promise<(source: string) => string> {
  await build({
    ...BUNDLE,
    entryPoints: [...sources],
    outbase: ROOT,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    keepNames: true,
    external: [...BUNDLE.external, ...TOOLS],
    plugins: [checkout],
  });
  // The program of the package reads its version from there.
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  return (source) => join(folder, builtName(relative(ROOT, source)));
}

/** Programs that several specs start, most of them the one of the package. */
const PROGRAMS = [
  'lib/cli/listwatch.ts',
  'spec/cli/rbac/support/ask.ts',
  'spec/path/support/server-process.ts',
];
const PLACE = 'LISTWATCH_BUILT_PROGRAMS';

/** Builds `PROGRAMS`. Returns the variable of the environment in which `plainProgram` finds them. */
export async function builtPrograms(folder: string): Promise<Readonly<Record<string, string>>> {
  await plainPrograms(
    PROGRAMS.map((path) => join(ROOT, path)),
    folder,
  );
  return { [PLACE]: folder };
}

const built = new Map<string, Promise<string>>();
const BUILT = join(ROOT, '.tmp', 'plain', String(process.pid));

/** A program of the checkout, by its path below it, as `plainPrograms` makes it; made once a suite, or once a process. */
export async function plainProgram(source: string): Promise<string> {
  const folderOfSuite = process.env[PLACE];
  if (folderOfSuite !== undefined && PROGRAMS.includes(source)) {
    return join(folderOfSuite, builtName(source));
  }
  const known = built.get(source);
  if (known !== undefined) return await known;
  if (built.size === 0) process.once('exit', () => rmSync(BUILT, { recursive: true, force: true }));
  const path = join(ROOT, source);
  const folder = join(BUILT, String(built.size));
  const made = plainPrograms([path], folder).then((place) => place(path));
  built.set(source, made);
  return await made;
}
