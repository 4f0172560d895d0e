import { expect } from 'chai';
import { scheduleProblem } from '../../../lib/kinds/batch/cron-schedule.ts';

const FIELDS = [
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['day of the month', 1, 31],
  ['month', 1, 12],
  ['day of the week', 0, 6],
] as const;

const scheduleWith = (index: number, text: string): string =>
  ['*', '*', '*', '*', '*'].with(index, text).join(' ');

describe('the schedule of a cron job', () => {
  for (const [index, [name, least, most]] of FIELDS.entries()) {
    it(`has a ${name} from ${least} to ${most}`, () => {
      for (const good of [least, most, `${least}-${most}`, `${least}-${most}/2`, `${least}/1`]) {
        expect(scheduleProblem(scheduleWith(index, `${good}`)), `${good}`).to.equal(undefined);
      }
      const above = `end of range (${most + 1}) above maximum (${most}): ${most + 1}`;
      expect(scheduleProblem(scheduleWith(index, `${most + 1}`))).to.equal(above);
      if (least === 0) return;
      const below = 'beginning of range (0) below minimum (1): 0';
      expect(scheduleProblem(scheduleWith(index, '0'))).to.equal(below);
    });
  }

  it('has names of months and days of the week, in any case, and of nothing else', () => {
    for (const name of ['jan', 'JAN', 'Dec', 'jan-dec/2', 'feb,3']) {
      expect(scheduleProblem(scheduleWith(3, name)), name).to.equal(undefined);
    }
    for (const name of ['sun', 'SAT', 'sun-6', 'Mon,tue']) {
      expect(scheduleProblem(scheduleWith(4, name)), name).to.equal(undefined);
    }
    const problem = 'failed to parse int from jan: strconv.Atoi: parsing "jan": invalid syntax';
    for (const index of [0, 1, 2, 4]) {
      expect(scheduleProblem(scheduleWith(index, 'jan'))).to.equal(problem);
    }
    const reversed = 'beginning of range (6) beyond end of range (0): sat-sun';
    expect(scheduleProblem(scheduleWith(4, 'sat-sun'))).to.equal(reversed);
    const months = 'beginning of range (12) beyond end of range (1): dec-jan';
    expect(scheduleProblem(scheduleWith(3, 'dec-jan'))).to.equal(months);
  });

  it('has numbers of 64 bits without a sign below zero', () => {
    const int = (text: string, why: string): string =>
      `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": ${why}`;
    const above = '9223372036854775808';
    for (const [text, problem] of [
      ['+9', undefined],
      [above, int(above, 'value out of range')],
      ['1.5', int('1.5', 'invalid syntax')],
    ] as const) {
      expect(scheduleProblem(scheduleWith(0, text)), text).to.equal(problem);
    }
    expect(scheduleProblem(scheduleWith(0, '9223372036854775807'))).to.match(
      /above maximum \(59\)/,
    );
  });
});
