import { expect } from 'chai';
import {
  canonicalMicroTime,
  canonicalTime,
} from '../../../../lib/server/registry/typed/value-readers.ts';

describe('times', () => {
  it('are written in UTC with whole seconds', () => {
    expect(canonicalTime('2024-05-01T10:00:00Z')).to.equal('2024-05-01T10:00:00Z');
    expect(canonicalTime('2024-05-01T10:00:00.987Z')).to.equal('2024-05-01T10:00:00Z');
    expect(canonicalTime('2024-05-01T01:30:00+02:00')).to.equal('2024-04-30T23:30:00Z');
    expect(canonicalTime('2024-02-29T00:00:00Z')).to.equal('2024-02-29T00:00:00Z');
    expect(canonicalTime('0001-01-01T00:00:00Z')).to.equal(undefined);
  });

  it('have the days of their months', () => {
    const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (const [index, length] of lengths.entries()) {
      const month = `2023-${String(index + 1).padStart(2, '0')}`;
      for (let day = 28; day <= 32; day += 1) {
        const [seconds, micros] = [`${month}-${day}T23:59:59Z`, `${month}-${day}T23:59:59.000001Z`];
        if (day > length) {
          expect(() => canonicalTime(seconds), seconds).to.throw(': day out of range');
          expect(() => canonicalMicroTime(micros), micros).to.throw(': day out of range');
        } else {
          expect(canonicalTime(seconds)).to.equal(seconds);
          expect(canonicalMicroTime(micros)).to.equal(micros);
        }
      }
    }
  });

  it('with microseconds are read with six digits only', () => {
    const text = '2024-05-01T10:00:00.123456Z';
    expect(canonicalMicroTime(text)).to.equal(text);
    expect(canonicalMicroTime('2024-05-01T12:00:00.000000+02:00')).to.equal(
      '2024-05-01T10:00:00.000000Z',
    );
    for (const wrong of ['2024-05-01T10:00:00Z', '2024-05-01T10:00:00.123Z']) {
      expect(() => canonicalMicroTime(wrong)).to.throw(/ as ".000000"$/);
    }
  });

  it('that cannot be read are named in the words of Go', () => {
    expect(() => canonicalTime('yesterday')).to.throw(
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    );
    expect(() => canonicalTime('2024-13-01T10:00:00Z')).to.throw(
      'parsing time "2024-13-01T10:00:00Z": month out of range',
    );
    expect(() => canonicalTime('2023-02-29T10:00:00Z')).to.throw(': day out of range');
    expect(() => canonicalTime('2024-05-01T10:00:00Zz')).to.throw(': extra text: "z"');
    expect(() => canonicalTime('2024-05-01')).to.throw('cannot parse "" as "T"');
  });
});
