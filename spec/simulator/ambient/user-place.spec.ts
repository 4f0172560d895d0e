import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { publishedEntry } from '../../../lib/simulator/ambient/user-place.ts';

const SIMULATOR = join(import.meta.dirname, '../../../lib/simulator');

describe('the places of the simulator', () => {
  it('are found without import.meta.resolve, which a module that is compiled to CommonJS has not', () => {
    expect(publishedEntry()).to.match(/^file:.*\/simulator\/index\.[jt]s$/);
    const users = readdirSync(SIMULATOR, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .filter((path) =>
        readFileSync(join(SIMULATOR, path), 'utf8').includes('import.meta.resolve('),
      );
    // The program of a host is started by this package, as an ES module.
    expect(users).to.deep.equal(['isolation/guard.ts']);
  });
});
