/**
 * `npm run build`: what is published, in `dist`. All entries are bundled in one run with shared chunks, so that each module exists
 * once whatever entries a program imports. The declarations are bundled in the same way.
 * The source maps hold the sources, so `lib` is not in the package, and declarations need no maps.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { build } from 'esbuild';
import { declare } from './declarations.ts';
import { sourceInMap } from './without-comments.ts';
import { withShortNames } from './with-short-names.ts';
import { withoutColumns } from './without-columns.ts';
import { BUNDLE, YAML_LICENSE } from './bundled-packages.ts';
import { entriesOf, programSources, readManifest, ROOT } from './manifest.ts';

const DIST = join(ROOT, 'dist');
const manifest = readManifest();

async function bundle(sources: readonly string[]): Promise<void> {
  await build({
    ...BUNDLE,
    entryPoints: [...sources],
    outbase: 'lib',
    outdir: 'dist',
    sourcemap: true,
    minifyWhitespace: true,
    minifySyntax: true,
    chunkNames: 'chunks/[name]-[hash]',
  });
}

/**
 * esbuild calls a class `_Name` inside itself, and it would print as that. A space for the underscore leaves the columns of the
 * source map as they are.
 */
function keepClassNames(): void {
  const programs = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
  for (const path of programs.filter((name) => name.endsWith('.js'))) {
    const file = join(DIST, path);
    const text = readFileSync(file, 'utf8');
    const names = [...text.matchAll(/(?<![\w$])(\w+) ?= ?class _\1(?=[\s{])/g)].map(
      ([, name]) => `_${name}`,
    );
    if (names.length === 0) continue;
    const renamed = new RegExp(`(?<![\\w$.#'"])(?:${names.join('|')})(?![\\w$])`, 'g');
    writeFileSync(
      file,
      text.replace(renamed, (name) => ` ${name.slice(1)}`),
    );
  }
}

/** Variables and parameters get short names, which makes the programs a sixth smaller. */
async function shortenNames(): Promise<void> {
  const programs = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
  for (const path of programs.filter((name) => name.endsWith('.js'))) {
    const file = join(DIST, path);
    const [code, map] = [readFileSync(file, 'utf8'), readFileSync(`${file}.map`, 'utf8')];
    const short = await withShortNames({ code, map });
    if ((JSON.parse(map) as SourceMap).sources.length === 0) {
      // It only exports what other programs have; no place in it comes from a source.
      writeFileSync(file, `${short.code}\n`);
      rmSync(`${file}.map`);
      continue;
    }
    writeFileSync(file, `${short.code}\n//# sourceMappingURL=${basename(file)}.map\n`);
    writeFileSync(`${file}.map`, short.map);
  }
}

interface SourceMap {
  readonly sources: readonly string[];
  /** Missing in the map of a program without code of its own. */
  readonly sourcesContent?: readonly string[];
  readonly mappings: string;
  readonly names: readonly string[];
}

/**
 * Makes the maps half as large. Comments and declarations of types of the sources become blank, a third of the text; lines and columns
 * stay as they are. The comments that a user reads are those of the declarations. Places in some folders have no column: see without-columns.ts.
 */
function shortenMaps(): void {
  const names = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
  for (const path of names.filter((name) => name.endsWith('.map'))) {
    const file = join(DIST, path);
    const map = JSON.parse(readFileSync(file, 'utf8')) as SourceMap;
    writeFileSync(
      file,
      JSON.stringify({
        ...map,
        ...withoutColumns(map),
        sourcesContent: (map.sourcesContent ?? []).map((source, index) =>
          sourceInMap(map.sources[index] ?? '', source),
        ),
      }),
    );
  }
}

/** A file takes whole blocks of a disk. */
const BLOCK_BYTES = 4096;

/** A small map goes into its program, where both fit into the blocks that the program takes alone: 65 files and 0.25 MiB less. */
function embedSmallMaps(): void {
  const names = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
  for (const path of names.filter((name) => name.endsWith('.map'))) {
    const map = join(DIST, path);
    const program = map.slice(0, -'.map'.length);
    const code = readFileSync(program, 'utf8');
    const url = `data:application/json;base64,${readFileSync(map, 'base64')}`;
    const embedded = code.replace(/(?<=\/\/# sourceMappingURL=).*$/m, () => url);
    const roomBytes = Math.ceil(Buffer.byteLength(code) / BLOCK_BYTES) * BLOCK_BYTES;
    if (Buffer.byteLength(embedded) > roomBytes) continue;
    writeFileSync(program, embedded);
    rmSync(map);
  }
}

const entries = [...entriesOf(manifest)];
rmSync(DIST, { recursive: true, force: true });
await bundle([
  ...entries.map(([, target]) => relative(ROOT, join(ROOT, target['@listwatch/source']))),
  ...programSources(manifest),
]);
copyFileSync(YAML_LICENSE, join(DIST, 'yaml-license.txt'));
keepClassNames();
await shortenNames();
shortenMaps();
embedSmallMaps();
await declare(
  entries.map(([, { types }]) => relative(DIST, join(ROOT, types))),
  DIST,
);
