import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from './run-command.ts';

const FOLDER = join(import.meta.dirname, 'recorded');

/** The results of kubectl of one minor version with a real kube-apiserver, with the versions of both. */
export interface Recording {
  /** Of kubectl. */
  readonly minor: number;
  readonly kubectl: string;
  readonly server: string;
  /** e.g. `2026-01-31`. */
  readonly date: string;
  /** Masked, by the id of the command. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

interface Line {
  readonly command: string;
  readonly exit?: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** One JSON value a line: the versions, then the commands; what is empty or 0 is left out. */
export async function writeRecording({ minor, outcomes, ...head }: Recording): Promise<void> {
  const lines = [...outcomes].map(
    ([command, { exit, stdout, stderr }]): Line => ({
      command,
      ...(exit === 0 ? {} : { exit }),
      ...(stdout === '' ? {} : { stdout }),
      ...(stderr === '' ? {} : { stderr }),
    }),
  );
  const text = [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(join(FOLDER, `1.${minor}.jsonl`), text);
}

/** Minor versions of kubectl that were recorded, in ascending order. */
export async function recordedMinors(): Promise<readonly number[]> {
  const names = await readdir(FOLDER);
  return names
    .flatMap((name) => /^1\.(\d+)\.jsonl$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((one, other) => one - other);
}

/** `1.36` of `v1.36.3`. */
export function minorVersion(version: string): string {
  return version.split('.').slice(0, 2).join('.').replace(/^v/, '');
}

/** The recorded version that is nearest; of two the newer one. */
export function nearestMinor(minors: readonly number[], wanted: number): number {
  const nearest = minors.toSorted(
    (one, other) => Math.abs(one - wanted) - Math.abs(other - wanted) || other - one,
  )[0];
  if (nearest === undefined) throw new Error(`no recording in ${FOLDER}; --record makes one`);
  return nearest;
}

export async function readRecording(minor: number): Promise<Recording> {
  const text = await readFile(join(FOLDER, `1.${minor}.jsonl`), 'utf8');
  const [head, ...lines] = text.trimEnd().split('\n');
  const outcomes = lines.map((line): [string, Outcome] => {
    const { command, exit = 0, stdout = '', stderr = '' } = JSON.parse(line) as Line;
    return [command, { exit, stdout, stderr }];
  });
  const facts = JSON.parse(head!) as Pick<Recording, 'kubectl' | 'server' | 'date'>;
  return { ...facts, minor, outcomes: new Map(outcomes) };
}
