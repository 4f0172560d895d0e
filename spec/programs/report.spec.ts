import { expect } from 'chai';
import type { ProgramOutcome } from './program.ts';
import { differences, faults, table } from './report.ts';

function outcome(steps: Readonly<Record<string, string | undefined>>): ProgramOutcome {
  return {
    steps: Object.entries(steps).map(([step, failure]) => ({ step, failure })),
    seconds: 1.25,
  };
}

const passes = outcome({ create: undefined, watch: undefined });
const fails = outcome({ create: undefined, watch: 'no event' });

describe('the report of the programs', () => {
  it('has the steps that passed, of all, and the seconds, for each server', () => {
    const lines = table([{ program: 'client-go', ours: fails, real: passes }]).split('\n');
    expect(lines.map((line) => line.trim().split(/ {2,}/))).to.deep.equal([
      ['program', 'listwatch', 's', 'real', 's'],
      ['client-go', '1 of 2', '1.3', '2 of 2', '1.3'],
    ]);
  });

  it('has no column of a real server that was not asked', () => {
    const [title] = table([{ program: 'client-go', ours: fails, real: undefined }]).split('\n');
    expect(title?.trim().split(/ {2,}/)).to.deep.equal(['program', 'listwatch', 's']);
  });

  it('calls a step a fault when it fails with ours alone', () => {
    const row = { program: 'kopf', ours: fails, real: passes };
    expect(differences(row)).to.deep.equal(['kopf: FAULT watch: no event']);
    expect(faults(row)).to.have.length(1);
  });

  it('does not call a step a fault when it fails with both', () => {
    const row = { program: 'kopf', ours: fails, real: outcome({ watch: 'late' }) };
    expect(differences(row)).to.deep.equal(['kopf: fails with both: watch: no event']);
    expect(faults(row)).to.deep.equal([]);
  });

  it('does not call a step a fault that the real server did not reach', () => {
    const row = { program: 'kopf', ours: fails, real: outcome({ end: 'exit code 1' }) };
    expect(differences(row)).to.deep.equal(['kopf: fails with both: watch: no event']);
  });

  it('names what fails with the real server alone, which is no fault', () => {
    const row = { program: 'kopf', ours: passes, real: fails };
    expect(differences(row)).to.deep.equal([
      'kopf: fails with the real server alone: watch: no event',
    ]);
    expect(faults(row)).to.deep.equal([]);
  });

  it('calls a step a fault that ours did not reach', () => {
    const row = { program: 'kopf', ours: outcome({ create: undefined }), real: passes };
    expect(differences(row)).to.deep.equal(['kopf: FAULT watch: not reached']);
  });

  it('counts each failure without a real server', () => {
    expect(faults({ program: 'kopf', ours: fails, real: undefined })).to.have.length(1);
    expect(faults({ program: 'kopf', ours: passes, real: undefined })).to.deep.equal([]);
  });
});
