import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { doctorSteps } from '../../../lib/cli/doctor/doctor-command.ts';

const GUIDE = resolve(import.meta.dirname, '../../../docs/guides/connect.md');

describe('docs/guides/connect.md on the doctor', () => {
  it('has a row for each step, in the order in which they run', () => {
    const text = readFileSync(GUIDE, 'utf8');
    const section = text.slice(text.indexOf('\n## The doctor\n'));
    const rows = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, id]) => id),
    );
    expect(rows).to.deep.equal(doctorSteps(['NAME']).map(({ id }) => id));
  });
});
