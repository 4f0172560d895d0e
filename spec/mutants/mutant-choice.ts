import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomInteger, seededRandom } from '../../lib/kernel/time/random.ts';
import { mutationsOf } from './mutator.ts';
import { diffOf, type Mutation } from './mutation.ts';
import type { MutantsOptions } from './mutants-options.ts';

/** A mutation of a file, given from the root of the repository. */
export interface Mutant {
  /** The folder of the file, or the one above it that was drawn from. */
  readonly folder: string;
  readonly file: string;
  /** The file as it is. */
  readonly text: string;
  readonly mutation: Mutation;
}

/** Folders that are left out, and why. */
export const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ['server/etcd', 'its specs need an etcd'],
  ['conformance', 'it is a suite itself'],
]);

/** The folders of `lib` that hold code, in the order of their names. */
export function foldersOf(root: string): string[] {
  const folders = readdirSync(join(root, 'lib'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isCode(entry.name))
    .map(({ parentPath }) => parentPath.slice(join(root, 'lib').length + 1));
  return [...new Set(folders)].filter((folder) => folder !== '').toSorted();
}

/** @throws {Error} when there is no such folder, file or mutant. */
export function chooseMutants(root: string, options: MutantsOptions): Mutant[] {
  const { file, mutant, folders, count, whole, seed } = options;
  if (file !== undefined) {
    const mutants = mutantsIn(root, file);
    if (mutant === undefined) return sample(mutants, count, `${seed} ${file}`);
    const found = mutants.filter(({ mutation }) => mutation.id === mutant);
    if (found.length === 0) throw new Error(`${file} has no mutant ${mutant}; see --list`);
    return found;
  }
  const all = foldersOf(root);
  const unknown = folders.find((folder) => !all.some((one) => isWithin(one, folder)));
  if (unknown !== undefined) throw new Error(`there is no folder ${unknown} in lib`);
  const wanted = all.filter((one) =>
    folders.length === 0 ? !isLeftOut(one) : folders.some((folder) => isWithin(one, folder)),
  );
  if (whole) {
    return folders.flatMap((folder) => {
      const below = wanted
        .filter((one) => isWithin(one, folder))
        .flatMap((one) => inFolder(root, one));
      const mutants = below.map((one) => ({ ...one, folder }));
      return steadySample(mutants, count, seed);
    });
  }
  return wanted.flatMap((folder) => sample(inFolder(root, folder), count, `${seed} ${folder}`));
}

function inFolder(root: string, folder: string): Mutant[] {
  const files = readdirSync(join(root, 'lib', folder))
    .filter(isCode)
    .toSorted();
  return files.flatMap((name) => mutantsIn(root, `lib/${folder}/${name}`));
}

/** The command that runs this mutant alone. */
export function replayCommand({ file, mutation }: Mutant): string {
  return `npm run check -- mutants --file ${file} --mutant ${mutation.id}`;
}

function mutantsIn(root: string, file: string): Mutant[] {
  const folder = file.split('/').slice(1, -1).join('/');
  const text = readFileSync(join(root, file), 'utf8');
  return mutationsOf(file, text).map((mutation) => ({ folder, file, text, mutation }));
}

/** `count` of them as the seed draws them, in their old order. */
export function sample<T>(items: readonly T[], count: number, seed: string): T[] {
  const random = { random: seededRandom(seed) };
  const places = items.map((_, place) => place);
  for (let place = 0; place < Math.min(count, places.length); place += 1) {
    const other = randomInteger(random, place, places.length - 1);
    [places[place], places[other]] = [places[other] as number, places[place] as number];
  }
  const drawn = new Set(places.slice(0, count));
  return items.filter((_, place) => drawn.has(place));
}

/**
 * `count` of them, in their old order, each by a lot of its own that its file and its line decide: a change of other lines, or
 * of other files, leaves them in the sample.
 */
export function steadySample(mutants: readonly Mutant[], count: number, seed: string): Mutant[] {
  const seen = new Map<string, number>();
  const lots = mutants.map((mutant, place) => {
    const name = [mutant.file, mutant.mutation.operator, ...diffOf(mutant.text, mutant.mutation)];
    const text = name.map((part) => part.replaceAll(/\s+/g, ' ')).join('\n');
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    return { place, lot: seededRandom(`${seed} ${times} ${text}`)() };
  });
  const drawn = lots.toSorted((left, right) => left.lot - right.lot).slice(0, count);
  const places = new Set(drawn.map(({ place }) => place));
  return mutants.filter((_, place) => places.has(place));
}

function isCode(name: string): boolean {
  return name.endsWith('.ts') && name !== 'index.ts';
}

function isWithin(folder: string, outer: string): boolean {
  return folder === outer || folder.startsWith(`${outer}/`);
}

function isLeftOut(folder: string): boolean {
  return [...LEFT_OUT.keys()].some((outer) => isWithin(folder, outer));
}
