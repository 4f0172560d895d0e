import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect } from 'chai';

const LIB = resolve(import.meta.dirname, '../lib');

interface Station {
  readonly file: string;
  /** How it is joined to the next station: an arrow, a file, or a word for code of the user. */
  readonly link: string;
}

interface Tour {
  readonly title: string;
  readonly stations: readonly Station[];
}

const STATION = /^\| \d+ \| `([^`]+)` \|.*\| `?([^`|]+?)`? \|$/;

/** The tables of lib/README.md that have a column of links. */
function readTours(): Tour[] {
  const sections = readFileSync(join(LIB, 'README.md'), 'utf8').split('\n## ');
  return sections.flatMap((section) => {
    const lines = section.split('\n');
    const first = lines.findIndex((line) => line.includes('joined to the next by'));
    if (first < 0) return [];
    const table = lines.slice(first);
    const end = table.findIndex((line) => !line.startsWith('|'));
    const stations = table.slice(2, end).map((line) => {
      const [, file, link] = STATION.exec(line) ?? [];
      if (file === undefined || link === undefined) throw new Error(`no station: ${line}`);
      return { file, link };
    });
    return [{ title: lines[0]!, stations }];
  });
}

const known = new Map<string, ReadonlySet<string>>();

function importsOf(file: string): ReadonlySet<string> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const text = readFileSync(join(LIB, file), 'utf8');
  const found = [...text.matchAll(/from '(\.[^']+)'/g)].map((match) =>
    relative(LIB, resolve(LIB, dirname(file), match[1]!)),
  );
  const imports = new Set(found);
  known.set(file, imports);
  return imports;
}

/** Whether two files are joined as the table says. */
function isJoined(from: string, to: string, link: string): boolean {
  if (link === '→') return importsOf(from).has(to);
  if (link === '←') return importsOf(to).has(from);
  if (!existsSync(join(LIB, link))) return false;
  const isContract = importsOf(from).has(link) && importsOf(to).has(link);
  const isAssembler = importsOf(link).has(from) && importsOf(link).has(to);
  const isBetween =
    (importsOf(from).has(link) && importsOf(link).has(to)) ||
    (importsOf(to).has(link) && importsOf(link).has(from));
  return isContract || isAssembler || isBetween;
}

describe('the tours of lib/README.md', () => {
  const tours = readTours();

  it('are one of an event and one of a write', () => {
    expect(tours.map(({ stations }) => stations.length > 10)).to.deep.equal([true, true]);
  });

  for (const { title, stations } of tours) {
    it(`${title}: name files that exist`, () => {
      const missing = stations.filter(({ file }) => !existsSync(join(LIB, file)));
      expect(missing).to.deep.equal([]);
    });

    it(`${title}: each file is joined to the next one as the table says`, () => {
      const wrong: string[] = [];
      for (const [position, { file, link }] of stations.entries()) {
        const next = stations[position + 1]?.file;
        if (next === undefined || link === 'your handler') continue;
        if (!isJoined(file, next, link)) wrong.push(`${file} to ${next} by ${link}`);
      }
      expect(wrong).to.deep.equal([]);
    });

    it(`${title}: end with the only file that is joined to no other`, () => {
      expect(stations.findIndex(({ link }) => link === '–')).to.equal(stations.length - 1);
    });
  }
});
