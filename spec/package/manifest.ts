import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT: string = resolve(import.meta.dirname, '../..');

export interface Target {
  readonly '@listwatch/source': string;
  readonly types: string;
  readonly default: string;
}

export interface Manifest {
  readonly version: string;
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

/** The text of the published package.json: without the condition of the sources, and without what only the checkout needs. */
export function publishedManifest(): string {
  const manifest = readManifest();
  const published = new Map(
    [...entriesOf(manifest)].map(([entry, { types, default: program }]) => [
      entry.replace(/^listwatch/, '.'),
      { types, default: program },
    ]),
  );
  const text = JSON.stringify(
    {
      ...manifest,
      exports: { ...manifest.exports, ...Object.fromEntries(published) },
      scripts: undefined,
      devDependencies: undefined,
      mocha: undefined,
      knip: undefined,
    },
    undefined,
    2,
  );
  return `${text}\n`;
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
