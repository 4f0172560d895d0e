import { expect } from 'chai';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import {
  compareResourceVersions,
  isResourceVersion,
} from '../../../lib/meta/versions/resource-version.ts';

describe('compareResourceVersions', () => {
  it('orders as the numbers do, far beyond 2^53', () => {
    const random = seededRandom('versions');
    const draw = (): bigint => {
      let digits = '';
      for (let length = Math.ceil(random() * 40); length > 0; length -= 1) {
        digits += Math.floor(random() * 10);
      }
      return BigInt(digits);
    };
    for (let count = 0; count < 2000; count += 1) {
      const left = draw();
      const right = random() < 0.2 ? left + BigInt(Math.floor(random() * 3) - 1) : draw();
      if (right < 0n) continue;
      const expected = left === right ? 0 : left < right ? -1 : 1;
      expect(Math.sign(compareResourceVersions(String(left), String(right)))).to.equal(expected);
    }
  });

  it('distinguishes neighbours that are the same double', () => {
    expect(compareResourceVersions('9007199254740993', '9007199254740992')).to.be.above(0);
  });

  it('takes "never seen" for older than everything', () => {
    expect(compareResourceVersions('', '0')).to.be.below(0);
    expect(compareResourceVersions('', '')).to.equal(0);
  });

  it('refuses what is no version', () => {
    for (const text of [
      '01',
      '-1',
      '1.5',
      '1e3',
      ' 1',
      '1\n',
      'x',
      '0x1',
      '١',
      5,
      null,
      undefined,
    ]) {
      expect(isResourceVersion(text), String(text)).to.equal(false);
      expect(() => compareResourceVersions(text as string, '1'))
        .to.throw(ListwatchError)
        .with.property('code', 'INVALID_RESOURCE_VERSION');
      expect(() => compareResourceVersions('1', text as string)).to.throw(ListwatchError);
    }
    for (const text of ['0', '10', '9'.repeat(100)]) expect(isResourceVersion(text)).to.equal(true);
  });
});
