import { expect } from 'chai';
import { SeenLines, timedLine } from '../../../../../lib/client/rest/streams/logs/seen-lines.ts';

/** The time of a line, so many milliseconds after the first one. */
const timeAt = (afterMs: number): string =>
  `${new Date(Date.parse('2026-01-31T12:00:00Z') + afterMs).toISOString().slice(0, -1)}000000Z`;

function take(seen: SeenLines, ...afterMs: readonly number[]): boolean[] {
  return afterMs.map((ms) => seen.take({ time: timeAt(ms), text: '' }));
}

describe('SeenLines', () => {
  it('takes every line while a log is read for the first time, also several of one time', () => {
    const seen = new SeenLines();
    expect(take(seen, 0, 0, 5, 3)).to.deep.equal([true, true, true, true]);
    expect(seen.newest).to.equal(timeAt(5));
  });

  it('takes each line once when the log is read again, as often as it was sent', () => {
    const seen = new SeenLines();
    take(seen, 0, 0, 5);
    seen.resumed();
    expect(take(seen, 0, 0, 0, 5, 5)).to.deep.equal([false, false, true, false, true]);
  });

  it('takes what is older than the last 1024 lines for given', () => {
    const seen = new SeenLines();
    take(seen, ...Array.from({ length: 1030 }, (_none, ms) => ms));
    seen.resumed();
    expect(take(seen, 0, 5, 6, 1029)).to.deep.equal([false, false, false, false]);
    expect(take(seen, 1030)).to.deep.equal([true]);
  });

  it('takes a line of a later second, and all that follow it', () => {
    const seen = new SeenLines();
    take(seen, 0, 10);
    seen.resumed();
    expect(take(seen, 1000, 10, 0)).to.deep.equal([true, true, true]);
  });

  it('takes a line without a time', () => {
    const seen = new SeenLines();
    seen.resumed();
    expect(seen.take(timedLine('no time in front'))).to.equal(true);
    expect(seen.newest).to.equal(undefined);
  });
});
