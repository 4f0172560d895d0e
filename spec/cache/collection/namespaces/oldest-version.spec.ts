import { expect } from 'chai';
import { OldestVersion } from '../../../../lib/cache/collection/namespaces/namespace-reflectors.ts';

describe('OldestVersion', () => {
  it('is the version that every watch has reached', () => {
    const versions = new OldestVersion();
    expect(versions.value).to.equal('');
    expect(versions.reach('a', '10')).to.equal(true);
    expect(versions.reach('b', '9')).to.equal(true);
    expect(versions.value).to.equal('9');
    expect(versions.reach('a', '12')).to.equal(false);
    expect(versions.reach('b', '11')).to.equal(true);
    expect(versions.value).to.equal('11');
    expect([versions.of('a'), versions.of('b'), versions.of('c')]).to.deep.equal(['12', '11', '']);
  });

  it('goes back with a watch whose server went back', () => {
    const versions = new OldestVersion();
    versions.reach('a', '10');
    versions.reach('b', '20');
    expect(versions.reach('b', '5')).to.equal(true);
    expect(versions.value).to.equal('5');
  });

  it('moves on when the watch that was last is given up, and says so', () => {
    const versions = new OldestVersion();
    versions.reach('a', '10');
    versions.reach('b', '20');
    versions.reach('c', '30');
    expect(versions.delete('b')).to.equal(false);
    expect(versions.delete('a')).to.equal(true);
    expect(versions.value).to.equal('30');
    expect(versions.delete('a')).to.equal(false);
    expect(versions.delete('c')).to.equal(true);
    expect(versions.value).to.equal('');
  });
});
