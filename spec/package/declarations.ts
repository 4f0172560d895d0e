import { execFile } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { rollup, type RollupLog } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { PublicSurface } from '../support/declarations/public-surface.ts';
import { ROOT } from './manifest.ts';

/** The declarations of the compiler, one file a module. */
const MODULES = join(ROOT, '.tmp', 'declarations');
/**
 * The types of the built-in kinds stay one file a group: groups have types of the same name, which one file would have to rename, and
 * only programs that name a kind read them.
 */
const TYPES = join(MODULES, 'types');

/**
 * Writes one declaration file for each entry, with shared chunks: what two entries export is one declaration. A file takes at least one
 * block on the disk, and most modules are smaller than that.
 *
 * @param entries paths of declaration files below `dist`, e.g. `cache/index.d.ts`
 */
export async function declare(entries: readonly string[], dist: string): Promise<void> {
  rmSync(MODULES, { recursive: true, force: true });
  await compile();
  const own = entries.filter((entry) => !isTypes(join(MODULES, entry)));
  const bundle = await rollup({
    input: Object.fromEntries(own.map((entry) => [nameOf(entry), join(MODULES, entry)])),
    external: (id) => id.startsWith('node:') || isTypes(id),
    plugins: [dts()],
    onwarn: refuse,
  });
  await bundle.write({
    dir: dist,
    format: 'es',
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `chunks/${name.replace(/\.d$/, '')}-[hash].d.ts`,
    minifyInternalExports: false,
    banner: ({ isEntry, facadeModuleId }) => (isEntry ? headOf(facadeModuleId) : ''),
  });
  await bundle.close();
  for (const file of typesReached(entries)) cpSync(file, join(dist, relative(MODULES, file)));
  keepTypesTypes(own, dist);
}

async function compile(): Promise<void> {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const output = ['--emitDeclarationOnly', '--declarationMap', 'false', '--outDir', MODULES];
  await promisify(execFile)(tsc, ['-p', join(ROOT, 'lib'), ...output]);
}

function isTypes(id: string): boolean {
  return id.startsWith(`${TYPES}/`) || /^\.{1,2}\/(?:.*\/)?types\//.test(id);
}

function nameOf(entry: string): string {
  return entry.replace(/\.d\.ts$/, '');
}

/** The comment of an entry, which belongs to no declaration. */
function headOf(file: string | null): string {
  const text = file === null ? '' : readFileSync(file, 'utf8');
  return /^\/\*\*[\s\S]*?\*\/(?=\n(?:import|export \{|\n|export \*|\/\*\*))/.exec(text)?.[0] ?? '';
}

/** Marks classes and functions that an entry passes on as types only: they have no value there, as before the bundling. */
function keepTypesTypes(entries: readonly string[], dist: string): void {
  const before = surfaceOf(entries, MODULES);
  const after = surfaceOf(entries, dist);
  for (const entry of entries) {
    const types = new Set(before.namesOf(entry).types);
    const values = new Set(after.namesOf(entry).values.filter((name) => types.has(name)));
    const file = join(dist, entry);
    const text = readFileSync(file, 'utf8').replaceAll(/^export \{.*\}/gm, (list) =>
      list.replaceAll(/(?:[\w$]+ as )?([\w$]+)(?=,| \})/g, (part, name: string) =>
        values.has(name) ? `type ${part}` : part,
      ),
    );
    writeFileSync(file, text);
  }
}

function surfaceOf(entries: readonly string[], root: string): PublicSurface {
  return new PublicSurface(root, new Map(entries.map((entry) => [entry, join(root, entry)])));
}

function typesReached(entries: readonly string[]): string[] {
  const types = entries.filter((entry) => isTypes(join(MODULES, entry)));
  return [...surfaceOf(types, MODULES).filesReached()];
}

/** An entry names a type of a chunk that no entry exports; `spec/public-surface.spec.ts` says which types may be so. */
const PRIVATE_TYPES = /still references private shared type exports/;

/** Names that only comments mention are imported in vain; everything else is an error. */
function refuse(warning: RollupLog): void {
  if (warning.code === 'UNUSED_EXTERNAL_IMPORT' || PRIVATE_TYPES.test(warning.message)) return;
  throw new Error(`declarations of ${dirname(warning.id ?? '')}: ${warning.message}`);
}
