import { expect } from 'chai';
import {
  dateText,
  distanceText,
  validityAt,
} from '../../../../lib/cli/doctor/connection/validity-text.ts';

const HOUR_MS = 3_600_000;

describe('the validity of a certificate or token', () => {
  it('is printed as a date in UTC, also when it cannot be read', () => {
    expect(dateText(Date.parse('2027-01-31T10:00:00.500Z'))).to.equal('2027-01-31T10:00:00Z');
    expect([NaN, Infinity, 1e20].map(dateText)).to.deep.equal(
      Array.from({ length: 3 }, () => 'a time that cannot be read'),
    );
  });

  it('is printed as a distance in the unit that fits', () => {
    const texts = [13 * 24 * HOUR_MS, 47 * HOUR_MS, -2 * HOUR_MS, 119 * 60_000, -119_000].map(
      (ms) => distanceText(ms, 0),
    );
    expect(texts).to.deep.equal([
      'in 13 days',
      'in 47 hours',
      '2 hours ago',
      'in 119 minutes',
      '119 seconds ago',
    ]);
  });

  it('includes both of its ends, and has none where a claim is missing', () => {
    const validity = { what: 'the token', fromMs: 5, toMs: 9 };
    expect([4, 5, 9, 10].map((nowMs) => validityAt(validity, nowMs))).to.deep.equal([
      'not yet valid',
      'valid',
      'valid',
      'expired',
    ]);
    expect(validityAt({ what: 'the token' }, 1)).to.equal('valid');
  });
});
