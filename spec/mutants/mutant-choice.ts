import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomInteger, seededRandom } from '../../lib/kernel/time/random.ts';
import { mutationsOf } from './mutator.ts';
import { diffOf, type Mutation } from './mutation.ts';
import type { MutantsOptions } from './mutants-options.ts';

/** A mutation of a file, given from the root of the repository. */
export interface Mutant {
  /** The folder of the file, or the one above it that was drawn from. */
  readonly room: string;
  readonly file: string;
  /** The file as it is. */
  readonly text: string;
  readonly mutation: Mutation;
}

/** Rooms that are left out, and why. */
export const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ['server/etcd', 'its specs need an etcd'],
  ['conformance', 'it is a suite itself'],
]);

/** The folders of `lib` that hold code, in the order of their names. */
export function roomsOf(root: string): string[] {
  const rooms = readdirSync(join(root, 'lib'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isCode(entry.name))
    .map(({ parentPath }) => parentPath.slice(join(root, 'lib').length + 1));
  return [...new Set(rooms)].filter((room) => room !== '').toSorted();
}

/** @throws {Error} when there is no such room, file or mutant. */
export function chooseMutants(root: string, options: MutantsOptions): Mutant[] {
  const { file, mutant, rooms, count, whole, seed } = options;
  if (file !== undefined) {
    const mutants = mutantsIn(root, file);
    if (mutant === undefined) return sample(mutants, count, `${seed} ${file}`);
    const found = mutants.filter(({ mutation }) => mutation.id === mutant);
    if (found.length === 0) throw new Error(`${file} has no mutant ${mutant}; see --list`);
    return found;
  }
  const all = roomsOf(root);
  const unknown = rooms.find((room) => !all.some((one) => isWithin(one, room)));
  if (unknown !== undefined) throw new Error(`there is no room ${unknown} in lib`);
  const wanted = all.filter((one) =>
    rooms.length === 0 ? !isLeftOut(one) : rooms.some((room) => isWithin(one, room)),
  );
  if (whole) {
    return rooms.flatMap((room) => {
      const below = wanted.filter((one) => isWithin(one, room)).flatMap((one) => inRoom(root, one));
      const mutants = below.map((one) => ({ ...one, room }));
      return steadySample(mutants, count, seed);
    });
  }
  return wanted.flatMap((room) => sample(inRoom(root, room), count, `${seed} ${room}`));
}

function inRoom(root: string, room: string): Mutant[] {
  const files = readdirSync(join(root, 'lib', room))
    .filter(isCode)
    .toSorted();
  return files.flatMap((name) => mutantsIn(root, `lib/${room}/${name}`));
}

/** The command that runs this mutant alone. */
export function replayCommand({ file, mutation }: Mutant): string {
  return `npm run check -- mutants --file ${file} --mutant ${mutation.id}`;
}

function mutantsIn(root: string, file: string): Mutant[] {
  const room = file.split('/').slice(1, -1).join('/');
  const text = readFileSync(join(root, file), 'utf8');
  return mutationsOf(file, text).map((mutation) => ({ room, file, text, mutation }));
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

function isWithin(room: string, outer: string): boolean {
  return room === outer || room.startsWith(`${outer}/`);
}

function isLeftOut(room: string): boolean {
  return [...LEFT_OUT.keys()].some((outer) => isWithin(room, outer));
}
