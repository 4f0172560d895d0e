import { expect } from 'chai';
import { belowFloor } from './floor.ts';
import { compareOutcomes, type ComparedOutcome } from './compare-outcomes.ts';

const outcome = (stdout: string, exit = 0) => ({ exit, stdout, stderr: '' });
const compared = (id: string, ...differences: string[]): ComparedOutcome => ({
  id,
  differences,
  sameExit: true,
});

describe('the checker of kubectl commands', () => {
  it('names the exit codes and the lines that differ', () => {
    const real = new Map([['a', outcome('one\ntwo\ntwo\n')]]);
    const ours = new Map([['a', outcome('one\ntwo\nthree\n', 1)]]);
    expect(compareOutcomes(ours, real)).to.deep.equal([
      {
        id: 'a',
        sameExit: false,
        differences: ['real exit 0 | embedded exit 1', 'stdout - two', 'stdout + three'],
      },
    ]);
  });

  it('sees another order of the same lines', () => {
    const [one] = compareOutcomes(
      new Map([['a', outcome('x\ny\n')]]),
      new Map([['a', outcome('y\nx\n')]]),
    );
    expect(one!.differences).to.deep.equal(['stdout: the same lines in another order']);
  });

  it('takes the labels that kubectl lists in any order, but misses none', () => {
    const id = 'labels: label cm a --list';
    const real = new Map([[id, outcome('x=1\ny=2\n')]]);
    const [same] = compareOutcomes(new Map([[id, outcome('y=2\nx=1\n')]]), real);
    expect(same!.differences).to.deep.equal([]);
    const [less] = compareOutcomes(new Map([[id, outcome('y=2\n')]]), real);
    expect(less!.differences).to.deep.equal(['stdout - x=1']);
  });

  it('reads lines of JSON without regard to the order of members', () => {
    const [one] = compareOutcomes(
      new Map([['a', outcome('{"a":1,"b":{"c":2,"d":3}}\n')]]),
      new Map([['a', outcome('{"b":{"d":3,"c":2},"a":1}\n')]]),
    );
    expect(one!.differences).to.deep.equal([]);
  });

  it('leaves out commands without a recording', () => {
    expect(compareOutcomes(new Map([['a', outcome('')]]), new Map())).to.deep.equal([]);
  });
});

describe('the floor of kubectl commands', () => {
  const floor = { equal: 1, of: 2, differ: ['b'] };

  it('holds while no other command differs', () => {
    const now = [compared('a'), compared('b', 'stdout - x')];
    expect(belowFloor(now, floor, { whole: true })).to.deep.equal([]);
  });

  it('names a command that newly differs, with its lines', () => {
    const now = [compared('a', 'stdout - x'), compared('b')];
    expect(belowFloor(now, floor, { whole: true })).to.deep.equal([
      'newly differs: a',
      '  stdout - x',
    ]);
  });

  it('counts the commands of a whole run, so that none is dropped', () => {
    expect(belowFloor([compared('a')], floor, { whole: true })).to.deep.equal([
      '1 commands are compared, the floor is 2',
    ]);
    expect(belowFloor([compared('a')], floor, { whole: false })).to.deep.equal([]);
  });
});
