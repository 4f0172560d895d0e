import { expect } from 'chai';
import { clockSkewMs } from '../../../../lib/cli/doctor/requests/clock-step.ts';

describe('clockSkewMs', () => {
  it('takes the answer to be made halfway between request and answer', () => {
    expect(clockSkewMs({ serverMs: 100_000, sentMs: 40_000, receivedMs: 44_000 })).to.equal(58_500);
  });

  it('is zero within the cut of the Date header and half the round trip', () => {
    // The server cuts to whole seconds, so its clock is anywhere in the second.
    expect(clockSkewMs({ serverMs: 100_000, sentMs: 100_000, receivedMs: 100_000 })).to.equal(0);
    expect(clockSkewMs({ serverMs: 100_000, sentMs: 100_990, receivedMs: 101_000 })).to.equal(0);
    expect(clockSkewMs({ serverMs: 100_000, sentMs: 98_000, receivedMs: 104_000 })).to.equal(0);
  });

  it('is negative when the server is behind', () => {
    expect(clockSkewMs({ serverMs: 100_000, sentMs: 110_000, receivedMs: 110_000 })).to.equal(
      -9500,
    );
  });

  it('is not less certain when the clock of this machine goes back during the request', () => {
    expect(clockSkewMs({ serverMs: 100_000, sentMs: 110_000, receivedMs: 106_000 })).to.equal(
      -7500,
    );
  });
});
