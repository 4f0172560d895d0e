import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askEmbedded } from './ask-server.ts';
import { shareOf } from '../support/share.ts';
import { readCorpus, type Corpus } from './corpus.ts';
import { ASPECTS, type Aspect } from './aspects.ts';
import { compareAll, figuresOf, type Compared, type Figures } from './report.ts';
import { AREAS, type Area } from './scenario.ts';

const FOLDER = join(import.meta.dirname, 'corpus');
export const CORPUS_FILE: string = join(FOLDER, 'answers.jsonl');
/** Of the scenarios, a spec plays one in four: see `shareOf`. */
const SHARE = 4;
const FLOOR_FILE = join(FOLDER, 'floor.json');

/** The figures that have been reached, and the requests whose answers differed then, with the aspects. */
interface Floor {
  readonly areas: Readonly<Partial<Record<Area, Figures>>>;
  readonly differ: Readonly<Record<string, string>>;
}

export interface Replayed {
  readonly compared: readonly Compared[];
  /** Areas below their floor, with the requests that newly differ. */
  readonly problems: readonly string[];
}

export interface ReplayOptions {
  /** Writes the figures of today as the floor, unless one would fall. */
  readonly update?: boolean;
}

/** Sends the recorded requests to the embedded server, and compares its answers with the recorded ones. */
export async function checkReplay({ update = false }: ReplayOptions = {}): Promise<Replayed> {
  const { scenarios, answers } = await readCorpus(CORPUS_FILE);
  // Recorded anew: the first figures are the floor.
  const floor =
    update && !existsSync(FLOOR_FILE)
      ? { areas: {}, differ: {} }
      : (JSON.parse(await readFile(FLOOR_FILE, 'utf8')) as Floor);
  const first = compareAll(scenarios, answers, await askEmbedded(scenarios));
  const compared = await askedAgain(first, { scenarios, answers }, floor);
  const problems = belowFloor(compared, floor);
  if (update && problems.length === 0) await writeFile(FLOOR_FILE, floorText(compared));
  return { compared, problems };
}

/**
 * A watch lasts for a second of the clock, so that a machine that stands still may cut it. A scenario below the floor is therefore
 * asked for again, alone, and its better answer counts.
 */
async function askedAgain(
  compared: readonly Compared[],
  { scenarios, answers }: Pick<Corpus, 'scenarios' | 'answers'>,
  floor: Floor,
): Promise<readonly Compared[]> {
  const worse = compared.filter((one) =>
    ASPECTS.some((aspect) => newlyDiffers(one, aspect, floor)),
  );
  if (worse.length === 0) return compared;
  const ids = new Set(worse.map(({ id }) => id.slice(0, id.lastIndexOf('#'))));
  const places = [...scenarios.keys()].filter((at) => ids.has(scenarios[at]!.id));
  const again = places.map((at) => scenarios[at]!);
  const recorded = places.map((at) => answers[at]!);
  const second = compareAll(again, recorded, await askEmbedded(again));
  const better = new Map(second.map((one) => [one.id, one]));
  return compared.map((one) => {
    const other = better.get(one.id);
    return other !== undefined && other.same.size > one.same.size ? other : one;
  });
}

/** The requests of a share of the scenarios whose answers differ, and did not at the floor. */
export async function newlyDiffering(): Promise<readonly string[]> {
  const corpus = await readCorpus(CORPUS_FILE);
  const places = shareOf([...corpus.scenarios.keys()], SHARE);
  const scenarios = places.map((at) => corpus.scenarios[at]!);
  const answers = places.map((at) => corpus.answers[at]!);
  const floor = JSON.parse(await readFile(FLOOR_FILE, 'utf8')) as Floor;
  const first = compareAll(scenarios, answers, await askEmbedded(scenarios));
  const compared = await askedAgain(first, { scenarios, answers }, floor);
  return compared
    .filter((one) => ASPECTS.some((aspect) => newlyDiffers(one, aspect, floor)))
    .map(differenceLine);
}

/** Figures below the floor, a line an area and aspect, each followed by the requests that newly differ. */
export function belowFloor(compared: readonly Compared[], floor: Floor): string[] {
  const lines: string[] = [];
  for (const area of AREAS) {
    const here = compared.filter((one) => one.area === area);
    const reached = floor.areas[area];
    const figures = figuresOf(here);
    if (reached === undefined) continue;
    for (const aspect of ['requests', ...ASPECTS] as const) {
      if (figures[aspect] >= reached[aspect]) continue;
      lines.push(
        `${area}: ${figures[aspect]} have the same ${aspect}, the floor is ${reached[aspect]}`,
      );
      for (const one of here) {
        if (aspect !== 'requests' && newlyDiffers(one, aspect, floor)) {
          lines.push(`  newly differs: ${differenceLine(one)}`);
        }
      }
    }
  }
  return lines;
}

function differenceLine({ id, step, real, embedded }: Compared): string {
  return `${id} ${step.method} ${step.path} ${real.status} | ${embedded.status}`;
}

function newlyDiffers({ id, same }: Compared, aspect: Aspect, { differ }: Floor): boolean {
  return !same.has(aspect) && !(differ[id] ?? '').split(' ').includes(aspect);
}

/** The figures of a comparison as a floor: a line an area, a line a request that differs. */
export function floorText(compared: readonly Compared[]): string {
  const areas = AREAS.map((area) => [area, figuresOf(compared.filter((one) => one.area === area))]);
  const differ = compared.flatMap(({ id, same }) => {
    const missing = ASPECTS.filter((aspect) => !same.has(aspect));
    return missing.length === 0 ? [] : [[id, missing.join(' ')]];
  });
  const linesOf = (entries: readonly (readonly unknown[])[]): string =>
    entries
      .map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
      .join(',\n');
  return `{\n  "areas": {\n${linesOf(areas)}\n  },\n  "differ": {\n${linesOf(differ)}\n  }\n}\n`;
}
