import { expect } from 'chai';
import { timeZoneProblem } from '../../../lib/kinds/batch/time-zone.ts';

/** Names of the zone data that Go carries (1.24, lib/time/zoneinfo.zip): all forms of words there are, aliases first. */
const NAMES = (
  'Africa/Asmara America/Argentina/ComodRivadavia America/Atka America/Knox_IN America/Porto_Acre ' +
  'Asia/Ho_Chi_Minh Asia/Kolkata Atlantic/Jan_Mayen Australia/ACT Australia/LHI Australia/NSW ' +
  'Brazil/DeNoronha CET CST6CDT Chile/EasterIsland EST5EDT Etc/GMT+12 Etc/GMT-0 Etc/GMT0 Etc/UCT ' +
  'Europe/Kyiv Factory GB GB-Eire GMT+0 GMT0 HST MST7MDT Mexico/BajaNorte NZ NZ-CHAT PRC PST8PDT ROC ' +
  'ROK UCT US/East-Indiana US/Pacific Universal W-SU WET Zulu Africa/Dar_es_Salaam ' +
  'America/Port-au-Prince America/Port_of_Spain Antarctica/DumontDUrville Antarctica/McMurdo ' +
  'Europe/Isle_of_Man Europe/Berlin UTC '
)
  .trim()
  .split(' ');

/** The same name in other cases. */
function otherCases(name: string): string[] {
  const cases = [
    name.toLowerCase(),
    name.toUpperCase(),
    name[0]! + name.slice(1).toLowerCase(),
    name.replaceAll(/[a-z]+/gi, (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase()),
  ];
  return cases.filter((other) => !NAMES.includes(other));
}

describe('the name of a time zone', () => {
  it('is one of the zone data, aliases included', () => {
    const refused = NAMES.filter((name) => timeZoneProblem(name) !== undefined);
    expect(refused).to.deep.equal([]);
  });

  it('has the case of the zone data, as kube-apiserver asks of it, also where it is an alias', () => {
    const others = NAMES.flatMap(otherCases);
    expect(others.length).to.be.greaterThan(100);
    expect(others.filter((name) => timeZoneProblem(name) === undefined)).to.deep.equal([]);
    expect(timeZoneProblem('us/Pacific')).to.equal('unknown time zone us/Pacific');
  });

  it('is no offset, and no name that is unknown', () => {
    for (const name of ['+02:00', 'GMT+20', 'Europe', 'Europe/', 'Europe/Nowhere', '__proto__']) {
      expect(timeZoneProblem(name), name).to.equal(`unknown time zone ${name}`);
    }
  });
});
