import { expect } from 'chai';
import { allFaults } from './matrix/all-faults.ts';
import { describeVerdict } from './report.ts';
import type { Verdict } from './run-case.ts';

const GREEN: Verdict = {
  fault: 'half-open',
  contestant: 'listwatch',
  ok: true,
  convergedMs: 12,
  requests: { perSecond: 1, total: 2 },
  bound: { perSecond: 8, total: 20 },
  survived: true,
  complaints: [],
  lost: [],
  repeated: [],
  disordered: [],
  invented: [],
  story: 'watching',
};
const OPTIONS = { colours: false, width: 100, seed: 'seven' };

describe('the report of the fault matrix', () => {
  it('gives a survived fault one line without colours', () => {
    const lines = describeVerdict(GREEN, OPTIONS);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^✓ half-open +12 ms +2 \(1\/s\) +watching$/);
  });

  it('says of a red one what was wrong, and how to see it again', () => {
    const red = {
      ...GREEN,
      ok: false,
      convergedMs: undefined,
      requests: { perSecond: 90, total: 400 },
      lost: ['objects: add default/a@1'],
    };
    const text = describeVerdict(red, OPTIONS).join('\n');
    expect(text).to.contain('✗ half-open').and.to.contain('never agreed with the server again');
    expect(text).to.contain('asked 400 times, 90 times in one second; at most 20 and 8 are fine');
    expect(text).to.contain('1 events lost: objects: add default/a@1');
    expect(text).to.contain('npm run check -- faults --only half-open --seed seven');
  });

  it('distinguishes all faults by their names', () => {
    expect(new Set(allFaults.map(({ name }) => name)).size).to.equal(allFaults.length);
  });
});
