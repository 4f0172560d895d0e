import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { EQUIVALENT, equivalenceOf } from './equivalent-mutants.ts';
import { mutationsOf } from './mutator.ts';

const ROOT = resolve(import.meta.dirname, '../..');

describe('EQUIVALENT', () => {
  for (const row of EQUIVALENT) {
    const { file, operator, line, mutant, reason } = row;
    it(`${file} has the line of ${operator}: ${mutant}`, () => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const found = mutationsOf(file, text).filter(
        (mutation) => equivalenceOf({ folder: '', file, text, mutation }) === reason,
      );
      expect(found, line).not.to.have.length(0);
    });
  }

  it('names each mutant once', () => {
    const names = EQUIVALENT.map(({ file, operator, line, mutant }) =>
      [file, operator, line, mutant].join('\n'),
    );
    expect(new Set(names)).to.have.property('size', names.length);
  });

  it('does not know a mutant that is not listed', () => {
    const text = 'const x = a < b;';
    const [mutation] = mutationsOf('lib/none.ts', text);
    const reason =
      mutation === undefined
        ? ''
        : equivalenceOf({ folder: '', file: 'lib/none.ts', text, mutation });
    expect(reason).to.equal(undefined);
  });
});
