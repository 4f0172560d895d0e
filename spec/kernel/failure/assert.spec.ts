import { expect } from 'chai';
import {
  assert,
  expensiveChecksEnabled,
  setExpensiveChecks,
} from '../../../lib/kernel/failure/assert.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';

describe('assert', () => {
  it('throws with code ASSERTION when the statement does not hold', () => {
    assert(true, 'never seen');
    expect(() => {
      assert(false, 'one is two');
    })
      .to.throw(ListwatchError, 'one is two')
      .with.property('code', 'ASSERTION');
  });

  it('lets costly checks be switched off and on', () => {
    expect(expensiveChecksEnabled(), 'on in specs').to.equal(true);
    try {
      setExpensiveChecks(false);
      expect(expensiveChecksEnabled()).to.equal(false);
    } finally {
      setExpensiveChecks(true);
    }
  });
});
