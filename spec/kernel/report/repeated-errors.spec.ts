import { expect } from 'chai';
import { RepeatedErrors } from '../../../lib/kernel/report/repeated-errors.ts';
import { forbidden } from '../../../lib/meta/failure/failures.ts';
import { rig } from '../../cache/reflector/reflector-support.ts';
import { lineLogger } from '../../support/line-logger.ts';

describe('RepeatedErrors', () => {
  it('logs the first of a kind, then at distances that double up to ten minutes', () => {
    const errors = new RepeatedErrors();
    const logged: number[] = [];
    let leftOut = 0;
    for (let second = 0; second <= 7200; second += 1) {
      const seen = errors.note('other', new Error(`attempt ${second} failed`), second * 1000);
      expect(seen.repeated).to.equal(second);
      if (seen.worthLogging) {
        logged.push(second);
        leftOut += seen.leftOut;
      }
    }
    expect(logged.slice(0, 8)).to.deep.equal([0, 10, 30, 70, 150, 310, 630, 1230]);
    expect(logged.at(-1)).to.equal(7200 - ((7200 - 1230) % 600));
    expect(leftOut).to.equal((logged.at(-1) as number) - logged.length + 1);
  });

  it('takes one that stayed away for ten minutes for a new one', () => {
    const errors = new RepeatedErrors();
    errors.note('other', 'x', 0);
    expect(errors.note('other', 'x', 600_000).repeated).to.equal(1);
    expect(errors.note('other', 'x', 1_200_001)).to.deep.equal({
      repeated: 0,
      worthLogging: true,
      leftOut: 0,
    });
  });

  it('distinguishes errors by kind and message', () => {
    const errors = new RepeatedErrors();
    errors.note('expired', new Error('too old: 12 (34)'), 0);
    expect(errors.note('expired', new Error('too old: 56 (789)'), 1).repeated).to.equal(1);
    expect(errors.note('gone', new Error('too old: 12 (34)'), 1).repeated).to.equal(0);
    expect(errors.note('expired', new Error('something else'), 1).repeated).to.equal(0);
    expect(errors.note('expired', new Error('too old: 1 (2)'), 2).repeated).to.equal(2);
  });

  it('remembers sixteen at most, the latest ones', () => {
    const errors = new RepeatedErrors();
    const name = (index: number): string => String.fromCodePoint(97 + index);
    for (let index = 0; index < 16; index += 1) errors.note('other', name(index), index);
    expect(errors.note('other', name(0), 20).repeated).to.equal(1);
    errors.note('other', 'one more', 21);
    expect(errors.note('other', name(0), 22).repeated).to.equal(2);
    expect(errors.note('other', name(1), 23).repeated, 'the one silent for longest').to.equal(0);
  });
});

describe('Reflector with an error that keeps coming', () => {
  const refusal = forbidden({ group: '', resource: 'things' }, '', 'no');

  it('fills no log, says how many it left out, and still waits between attempts', async () => {
    const lines: string[] = [];
    const logger = lineLogger((line) => lines.push(line), ['warn']);
    const { runtime, times, stop } = rig({
      logger,
      onError: undefined,
      backoff: { baseMs: 1000, capMs: 1000, jitter: 0 },
      prepare: (source) => source.failNext('list', refusal, 3700),
    });
    await runtime.advance(3_600_000);
    expect(times('list')).to.have.length(3601);
    expect(lines.length).to.be.within(8, 14);
    expect(lines[0]).to.not.include('not logged');
    expect(lines[1]).to.match(/ 9 of the same kind were not logged\./);
    await stop();
  });

  it('reaches onError each time, with how often it came before', async () => {
    const { runtime, errors, stop } = rig({
      backoff: { baseMs: 1000, capMs: 1000, jitter: 0 },
      prepare: (source) => source.failNext('list', refusal, 4),
    });
    await runtime.advance(60_000);
    expect(errors.map(({ context }) => [context.repeated, context.worthLogging])).to.deep.equal([
      [0, true],
      [1, false],
      [2, false],
      [3, false],
    ]);
    await stop();
  });
});
