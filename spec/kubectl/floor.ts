import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ComparedOutcome } from './compare-outcomes.ts';

/** Commands that were the same, of all, and those that were not. */
export interface Floor {
  readonly equal: number;
  readonly of: number;
  readonly differ: readonly string[];
}

const fileOf = (minor: number): string =>
  join(import.meta.dirname, 'recorded', `floor-1.${minor}.json`);

/** Of the first run after a recording there is none. */
export async function readFloor(minor: number): Promise<Floor | undefined> {
  const file = fileOf(minor);
  if (!existsSync(file)) return undefined;
  return JSON.parse(await readFile(file, 'utf8')) as Floor;
}

/** The commands that newly differ, and a whole run with fewer commands than before, a line each. */
export function belowFloor(
  compared: readonly ComparedOutcome[],
  floor: Floor | undefined,
  { whole }: { readonly whole: boolean },
): string[] {
  if (floor === undefined) return [];
  const known = new Set(floor.differ);
  const newly = compared.filter(({ id, differences }) => differences.length > 0 && !known.has(id));
  const lines = newly.flatMap(({ id, differences }) => [
    `newly differs: ${id}`,
    ...differences.slice(0, MOST_LINES).map((line) => `  ${line}`),
  ]);
  if (whole && compared.length < floor.of)
    lines.push(`${compared.length} commands are compared, the floor is ${floor.of}`);
  return lines;
}

const MOST_LINES = 12;

/** Of a whole run. */
export async function writeFloor(
  minor: number,
  compared: readonly ComparedOutcome[],
): Promise<void> {
  const differ = compared.filter(({ differences }) => differences.length > 0).map(({ id }) => id);
  const floor: Floor = { equal: compared.length - differ.length, of: compared.length, differ };
  await writeFile(fileOf(minor), `${JSON.stringify(floor, undefined, 2)}\n`);
}
