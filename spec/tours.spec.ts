import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';
import { filesBelow } from './support/files-below.ts';
import { runTours, type TourTraces } from './tours/tour-run.ts';

const ROOT = resolve(import.meta.dirname, '..');
const LIB = join(ROOT, 'lib');
const HELPERS = join(import.meta.dirname, 'tours', 'helpers.txt');
const LARGEST_PAGE_BYTES = 12_288;

interface Station {
  readonly file: string;
  /** A function of the file, or a method with its class. */
  readonly name: string;
}

/** A line of `helpers.txt`: a file below `lib`, or a folder for the files directly in it, and why the page does not name it. */
interface Helper {
  readonly place: string;
  readonly reason: string;
}

interface Tour {
  readonly title: string;
  readonly stations: readonly Station[];
  /** One of the traces, "file#function" in the order of first passes. */
  readonly traceOf: (traces: TourTraces) => readonly string[];
}

const page = readFileSync(join(LIB, 'README.md'), 'utf8');
const pathOf = new Map(filesBelow(LIB, '.ts').map((file) => [basename(file), relative(LIB, file)]));

/** The rows of the table below a heading. */
function stationsOf(title: string): Station[] {
  const section = page.split('\n## ').find((text) => text.startsWith(title)) ?? '';
  const rows = section.matchAll(/^\| \d+ \| `([^`]+)` \| `([^`]+)` \|/gm);
  return Array.from(rows, ([, file, name]) => ({ file: file!, name: name! }));
}

const helpers: readonly Helper[] = readFileSync(HELPERS, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [place, reason] = line.split(' | ');
    return { place: place!, reason: reason ?? '' };
  });

const tours: readonly Tour[] = [
  { title: 'One event', stations: stationsOf('One event'), traceOf: ({ event }) => event },
  { title: 'One write', stations: stationsOf('One write'), traceOf: ({ write }) => write },
];

/** Files that are passed in each run; what runs on its own from time to time is in some of them only. */
function passedFiles(traces: readonly (readonly string[])[]): string[] {
  const [first, ...others] = traces.map(
    (trace) => new Set(trace.map((name) => name.slice(0, name.indexOf('#')))),
  );
  const always = [...first!].filter((file) => others.every((files) => files.has(file)));
  return always.map((file) => pathOf.get(file) ?? file);
}

describe('lib/README.md', () => {
  it(`has at most ${LARGEST_PAGE_BYTES} bytes`, () => {
    expect(Buffer.byteLength(page)).to.be.at.most(LARGEST_PAGE_BYTES);
  });

  it('has a line for each folder on the ground plan', () => {
    const named = Array.from(page.matchAll(/^\| `([a-z]+)` \|/gm), ([, folder]) => folder);
    const folders = [...pathOf.values()].flatMap((path) => /^([^/]+)\//.exec(path)?.[1] ?? []);
    expect(named).to.have.members([...new Set(folders)]);
  });
});

describe('the tours of lib/README.md', () => {
  let runs: readonly TourTraces[] = [];

  before(async () => {
    mkdirSync(join(ROOT, '.tmp'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, '.tmp', 'tours-'));
    try {
      runs = await runTours(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  for (const { title, stations, traceOf } of tours) {
    it(`${title}: names files that exist, and functions that it passes, in this order`, () => {
      expect(stations.length).to.be.above(10);
      expect(stations.filter(({ file }) => !existsSync(join(LIB, file)))).to.deep.equal([]);
      const expected = stations.map(({ file, name }) => `${basename(file)}#${name}`);
      for (const run of runs) {
        const passed = traceOf(run).filter((name) => expected.includes(name));
        expect(passed).to.deep.equal(expected);
      }
    });

    it(`${title}: passes no other file, but for the helpers of helpers.txt`, () => {
      const named = new Set(tours.flatMap((tour) => tour.stations.map(({ file }) => file)));
      const others = passedFiles(runs.map(traceOf)).filter(
        (file) => !named.has(file) && !helpers.some(({ place }) => covers(place, file)),
      );
      expect(others).to.deep.equal([]);
    });
  }

  it('have no helper that is passed by none of them, and none without a reason', () => {
    const passed = tours.flatMap(({ traceOf }) => passedFiles(runs.map(traceOf)));
    const unused = helpers.filter(({ place }) => !passed.some((file) => covers(place, file)));
    expect(unused).to.deep.equal([]);
    expect(helpers.filter(({ reason }) => reason.length < 10)).to.deep.equal([]);
  });
});

function covers(place: string, file: string): boolean {
  return place.endsWith('/') ? `${dirname(file)}/` === place : file === place;
}
