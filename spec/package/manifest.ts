import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { filesBelow } from '../support/files-below.ts';
import { publishedAddresses, publishedText, repositoryOf } from './repository.ts';

export const ROOT: string = resolve(import.meta.dirname, '../..');

export interface Target {
  readonly '@listwatch/source': string;
  readonly types: string;
  readonly default: string;
}

export interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly version: string;
  /** The address of the repository, which its owner fills; empty until then. */
  readonly repository: string;
  /** The programs by name: paths below `dist`. */
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Target>>;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

export function readManifest(folder: string = ROOT): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The entry points by the name that a program imports, e.g. `listwatch/cache`. */
export function entriesOf({ exports }: Manifest): ReadonlyMap<string, Target> {
  const entries = new Map<string, Target>();
  for (const [path, target] of Object.entries(exports)) {
    if (typeof target !== 'string') entries.set(`listwatch${path.slice(1)}`, target);
  }
  return entries;
}

/** Where compilers with `moduleResolution: node10` find declarations: they do not read `exports`. */
function typesVersions(entries: ReadonlyMap<string, Target>): object {
  const paths = [...entries]
    .filter(([entry]) => entry !== 'listwatch')
    .map(([entry, { types }]) => [entry.replace(/^listwatch\//, ''), [types]] as const);
  return { '*': Object.fromEntries(paths) };
}

/**
 * The text of the published package.json: without the condition of the sources, and without what only the checkout needs; with what tools
 * read that know no `exports`.
 */
function publishedManifest(): string {
  const manifest = readManifest();
  const entries = entriesOf(manifest);
  const published = new Map(
    [...entries].map(([entry, { types, default: program }]) => [
      entry.replace(/^listwatch/, '.'),
      { types, default: program },
    ]),
  );
  const text = JSON.stringify(
    {
      ...manifest,
      ...publishedAddresses(repositoryOf(manifest)),
      main: entries.get('listwatch')?.default,
      types: entries.get('listwatch')?.types,
      typesVersions: typesVersions(entries),
      exports: { ...manifest.exports, ...Object.fromEntries(published) },
      scripts: undefined,
      devDependencies: undefined,
      mocha: undefined,
      knip: undefined,
      c8: undefined,
    },
    undefined,
    2,
  );
  return `${text}\n`;
}

/** Whether the tarball has a file, by `files` of package.json. */
function isPublished(path: string, { files }: Manifest): boolean {
  const isIn = (entry: string): boolean => path === entry || path.startsWith(`${entry}/`);
  const excluded = files.filter((entry) => entry.startsWith('!')).map((entry) => entry.slice(1));
  return ['README.md', 'LICENSE', ...files].some(isIn) && !excluded.some(isIn);
}

/** The files of the tarball whose text is not that of the checkout, by path: package.json, and pages with addresses of the repository. */
export function publishedFiles(): ReadonlyMap<string, string> {
  const manifest = readManifest();
  const repository = repositoryOf(manifest);
  const texts = new Map([['package.json', publishedManifest()]]);
  if (repository === undefined) return texts;
  for (const path of publishedPages(manifest)) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const { version } = manifest;
    const page = { path, text, version, isPublished: (one: string) => isPublished(one, manifest) };
    const published = publishedText(page, repository);
    if (published !== text) texts.set(path, published);
  }
  return texts;
}

function publishedPages(manifest: Manifest): string[] {
  const entries = manifest.files.filter((entry) => existsSync(join(ROOT, entry)));
  return ['README.md', ...entries]
    .flatMap((entry) =>
      statSync(join(ROOT, entry)).isDirectory()
        ? filesBelow(join(ROOT, entry), '.md').map((path) => relative(ROOT, path))
        : [entry],
    )
    .filter((path) => path.endsWith('.md') && isPublished(path, manifest));
}

/** Programs that the package starts itself, in processes of their own. */
const INNER_PROGRAMS: readonly string[] = [
  'lib/simulator/host/host-program.ts',
  'lib/simulator/isolation/guard-thread.ts',
  'lib/simulator/isolation/module-hooks.ts',
  'lib/simulator/parallel/plan-worker.ts',
];

/** The sources of programs: `dist/cli/listwatch.js` is made from `lib/cli/listwatch.ts`. */
export function programSources({ bin }: Manifest): string[] {
  const named = Object.values(bin).map((path) => path.replace(/^dist\/(.*)\.js$/, 'lib/$1.ts'));
  return [...named, ...INNER_PROGRAMS];
}
