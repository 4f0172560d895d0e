import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect } from 'chai';

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'glossary.md'), 'utf8');

interface Term {
  readonly upstream: string;
  readonly name: string;
  readonly meaning: string;
  readonly file: string;
}

function terms(): Term[] {
  const rows = PAGE.matchAll(/^\| ([^|]+) \| `(\w+)` \| ([^|]+) \| `([\w.-]+\.ts)` \|$/gm);
  return Array.from(rows, ([, upstream, name, meaning, file]) => ({
    upstream: upstream!,
    name: name!,
    meaning: meaning!,
    file: file!,
  }));
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? sourceFiles(path) : [path];
  });
}

const files = new Map(sourceFiles(join(ROOT, 'lib')).map((path) => [basename(path), path]));

describe('docs/glossary.md', () => {
  it('has at least twenty words, each once, and reads every row of its tables', () => {
    const names = terms().map(({ name }) => name);
    expect(names).to.have.lengthOf.at.least(20);
    expect(new Set(names).size).to.equal(names.length);
    const rows = PAGE.match(/^\| .*\.ts` \|$/gm);
    expect(rows).to.have.lengthOf(names.length);
  });

  for (const { name, file, meaning } of terms()) {
    it(`finds ${name} in ${file}, and says what it is in one sentence`, () => {
      const path = files.get(file);
      expect(path, `lib has no ${file}`).not.to.equal(undefined);
      const declared = new RegExp(
        `^export (?:abstract |async )?(?:class|interface|type|function|const) ${name}\\b`,
        'm',
      );
      expect(readFileSync(path!, 'utf8')).to.match(declared);
      expect(meaning).to.match(/^[A-Z][^.]*\.$/);
    });
  }
});
