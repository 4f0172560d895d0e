import { expect } from 'chai';
import {
  ageOf,
  humanDuration,
  timestampOf,
} from '../../../../lib/server/registry/rules/duration.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('humanDuration', () => {
  for (const [durationMs, text] of [
    [-2 * SECOND, '<invalid>'],
    [-1.5 * SECOND, '0s'],
    [-999, '0s'],
    [0, '0s'],
    [999, '0s'],
    [119 * SECOND, '119s'],
    [120 * SECOND, '2m'],
    [3 * MINUTE + 5 * SECOND, '3m5s'],
    [10 * MINUTE - 1, '9m59s'],
    [10 * MINUTE + 5 * SECOND, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR, '3h'],
    [7 * HOUR + 59 * MINUTE, '7h59m'],
    [8 * HOUR + 59 * MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [48 * HOUR, '2d'],
    [2 * DAY + 5 * HOUR, '2d5h'],
    [8 * DAY + 5 * HOUR, '8d'],
    [729 * DAY, '729d'],
    [730 * DAY, '2y'],
    [3 * 365 * DAY + 4 * DAY, '3y4d'],
    [8 * 365 * DAY + 4 * DAY, '8y'],
    [Number.NaN, '<invalid>'],
  ] as const) {
    it(`writes ${durationMs} ms as ${text}`, () => {
      expect(humanDuration(durationMs)).to.equal(text);
    });
  }
});

describe('ageOf', () => {
  it('counts from a timestamp to now', () => {
    expect(ageOf('2024-01-01T00:00:00Z', Date.UTC(2024, 0, 1, 5))).to.equal('5h');
  });

  it('is unknown without a timestamp and invalid with a wrong one', () => {
    expect([ageOf(undefined, 0), ageOf('', 0), ageOf(5, 0), ageOf('soon', 0)]).to.deep.equal([
      '<unknown>',
      '<unknown>',
      '<unknown>',
      '<invalid>',
    ]);
  });
});

describe('timestampOf', () => {
  it('has second precision', () => {
    expect(timestampOf(Date.UTC(2024, 0, 1, 2, 3, 4, 999))).to.equal('2024-01-01T02:03:04Z');
  });
});
