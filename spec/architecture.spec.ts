import { readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { filesBelow } from './support/files-below.ts';

const LIB = resolve(import.meta.dirname, '../lib');
const TABLE = resolve(import.meta.dirname, 'architecture/imports.txt');
const LONGEST_FILE = 500;

interface Row {
  readonly folder: string;
  /** The folders of each name of the row. */
  readonly grants: ReadonlyMap<string, readonly string[]>;
  readonly mayImport: ReadonlySet<string>;
}

/** The rows of `architecture/imports.txt`: folder | what it may import | what it is. */
function readTable(): Row[] {
  const rows: Row[] = [];
  for (const line of readFileSync(TABLE, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const cells = line.split(' | ');
    const [folder, names, description] = cells;
    if (cells.length !== 3 || folder === '' || names === '' || description === '') {
      throw new Error(`${TABLE}: a row is "folder | may import | description", not: ${line}`);
    }
    const granted = names!.split(/\s+/).filter((name) => name !== '–');
    const grants = new Map(granted.map((name) => [name, foldersOf(name, rows)]));
    rows.push({ folder: folder!, grants, mayImport: new Set([...grants.values()].flat()) });
  }
  return rows;
}

/** `a/*` are the folders inside `a` whose rows come before. */
function foldersOf(name: string, above: readonly Row[]): string[] {
  if (!name.endsWith('/*')) return [name];
  return above.map(({ folder }) => folder).filter((folder) => folder.startsWith(name.slice(0, -1)));
}

/** Relative imports of a file, types included, as absolute paths. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...found].map((match) => resolve(dirname(file), match[1]!));
}

function folderOf(file: string): string {
  return relative(LIB, dirname(file));
}

/** Entry points gather what lies below them; they are not part of the layers. */
function isEntryPoint(file: string): boolean {
  return file.endsWith('/index.ts');
}

const rows = readTable();
const files = filesBelow(LIB, '.ts');

describe('the house', () => {
  it('has a row for every folder with code', () => {
    const folders = new Set(files.filter((file) => !isEntryPoint(file)).map(folderOf));
    const known = new Set(rows.map((row) => row.folder));
    expect([...folders].filter((folder) => !known.has(folder))).to.deep.equal([]);
  });

  it('has code in every folder that has a row, and one row for each', () => {
    const folders = new Set(files.filter((file) => !isEntryPoint(file)).map(folderOf));
    const named = rows.map((row) => row.folder);
    expect(named.filter((folder) => !folders.has(folder))).to.deep.equal([]);
    expect(named.filter((folder, position) => named.indexOf(folder) !== position)).to.deep.equal(
      [],
    );
  });

  it('lists its folders lowest first, so that there is no cycle between them', () => {
    const seen = new Set<string>();
    for (const { folder, mayImport } of rows) {
      const ahead = [...mayImport].filter((name) => !seen.has(name));
      expect(ahead, `${folder} imports what stands below it`).to.deep.equal([]);
      seen.add(folder);
    }
  });

  it('imports only what the table allows', () => {
    const wrong: string[] = [];
    for (const file of files.filter((one) => !isEntryPoint(one))) {
      const row = rows.find((one) => one.folder === folderOf(file));
      for (const target of importsOf(file)) {
        const folder = folderOf(target);
        const allowed = folder === folderOf(file) || row?.mayImport.has(folder) === true;
        if (!allowed) wrong.push(`${relative(LIB, file)} imports ${relative(LIB, target)}`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it('grants no import that no file uses', () => {
    const used = new Map(rows.map(({ folder }) => [folder, new Set<string>()]));
    for (const file of files.filter((one) => !isEntryPoint(one))) {
      for (const target of importsOf(file)) used.get(folderOf(file))?.add(folderOf(target));
    }
    const unused = rows.flatMap(({ folder, grants }) =>
      [...grants]
        .filter(([, granted]) => !granted.some((name) => used.get(folder)!.has(name)))
        .map(([name]) => `${folder} does not import ${name}`),
    );
    expect(unused).to.deep.equal([]);
  });

  it('does not import entry points from inside', () => {
    const wrong = files
      .filter((file) => !isEntryPoint(file))
      .filter((file) => importsOf(file).some(isEntryPoint))
      .map((file) => relative(LIB, file));
    expect(wrong).to.deep.equal([]);
  });

  it('has no import cycle between files', () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        const cycle = [...path.slice(path.indexOf(file)), file];
        cycles.push(cycle.map((one) => relative(LIB, one)).join(' -> '));
        return;
      }
      if (done.has(file)) return;
      for (const next of importsOf(file)) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).to.deep.equal([]);
  });

  it(`has no file of more than ${LONGEST_FILE} lines`, () => {
    const long = files
      .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > LONGEST_FILE)
      .map(({ file, lines }) => `${relative(LIB, file)}: ${lines}`);
    expect(long).to.deep.equal([]);
  });

  it('has no two files of one name, so that "go to file" finds the one', () => {
    const seen = new Map<string, string>();
    const twice: string[] = [];
    for (const file of files.filter((one) => !isEntryPoint(one))) {
      const earlier = seen.get(basename(file));
      if (earlier !== undefined) twice.push(`${relative(LIB, earlier)} and ${relative(LIB, file)}`);
      seen.set(basename(file), file);
    }
    expect(twice).to.deep.equal([]);
  });

  it('keeps the spec tree a mirror of the source tree', () => {
    const specRoot = resolve(LIB, '../spec');
    const folders = new Set(files.map(folderOf));
    const stray = filesBelow(specRoot, '.spec.ts')
      .map((file) => relative(specRoot, dirname(file)))
      .filter((folder) => !SPEC_ONLY.has(folder) && !folders.has(folder));
    expect(stray).to.deep.equal([]);
  });
});

/** Spec folders that cut across the house. */
const SPEC_ONLY = new Set([
  // A project of each bundler, runtime and test runner.
  'adopt',
  'admission',
  'bad-use',
  'applies',
  'compare',
  'rules',
  'kubectl',
  'programs',
  'cluster/simulated',
  'cluster/soak',
  'cluster/traces',
  'simulator/corpus',
  'simulator/examples',
  'simulator/corpus/search',
  '',
  'etcd-kill',
  'client/connect',
  'commands',
  'client/verbs',
  'client/support',
  'faults',
  'security',
  'soak',
  'e2e',
  'envtest',
  'swap',
  'examples',
  'path',
  'package',
  'support',
  'tables',
  'support/upstream-rows',
  'bench',
  'mutants',
  'wasm',
  'bench/workload',
  'types',
  'types/definitions',
]);
