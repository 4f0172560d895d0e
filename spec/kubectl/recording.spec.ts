import { expect } from 'chai';
import { nearestMinor, readRecording, recordedMinors } from './recording.ts';

describe('the recordings of kubectl commands', () => {
  it('are of at least 300 commands each, of named versions', async () => {
    const minors = await recordedMinors();
    expect(minors).to.include.members([20, 32, 35, 36, 37]);
    for (const minor of minors) {
      const { kubectl, server, date, outcomes } = await readRecording(minor);
      expect(kubectl).to.match(new RegExp(`^v1\\.${minor}\\.`));
      expect(server).to.match(/^v1\.\d+\.\d+$/);
      expect(date).to.match(/^\d{4}-\d\d-\d\d$/);
      expect([...outcomes.keys()], kubectl).to.have.length.of.at.least(300);
    }
  });

  it('stand in for the versions that are near, the newer of two', () => {
    expect(nearestMinor([20, 32, 36], 32)).to.equal(32);
    expect(nearestMinor([20, 32, 36], 34)).to.equal(36);
    expect(nearestMinor([20, 32, 36], 33)).to.equal(32);
  });
});
