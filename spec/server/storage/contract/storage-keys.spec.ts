import { expect } from 'chai';
import {
  prepareKey,
  prepareResourcePrefix,
} from '../../../../lib/server/storage/contract/storage-keys.ts';

const PREFIX = '/registry/pods/';

describe('prepareKey', () => {
  it('takes keys under the prefix as they are', () => {
    for (const key of ['/registry/pods/a/x', '/registry/pods/a..b/.x', '/registry/pods/...']) {
      expect(prepareKey(PREFIX, key, false)).to.equal(key);
    }
  });

  it('ends a recursive key in a slash', () => {
    expect(prepareKey(PREFIX, '/registry/pods', true)).to.equal(PREFIX);
    expect(prepareKey(PREFIX, '/registry/pods/ns', true)).to.equal('/registry/pods/ns/');
    expect(prepareKey(PREFIX, '/registry/pods/ns/', true)).to.equal('/registry/pods/ns/');
  });

  it('refuses empty keys, dot segments and keys outside the prefix', () => {
    const bad = [
      '',
      '/',
      '/registry/pods',
      '/registry/podsecrets/a',
      '/registry/pods/..',
      '/registry/pods/./a',
    ];
    for (const key of [...bad, '/registry/pods/../secrets/a', 'registry/pods/a']) {
      expect(() => prepareKey(PREFIX, key, false), key)
        .to.throw()
        .with.property('code', 'INVALID_KEY');
    }
    for (const key of ['', '/']) {
      expect(() => prepareKey(PREFIX, key, false), key).to.throw('the key is empty');
    }
    expect(() => prepareKey(PREFIX, '/registry/pod', true)).to.throw(
      'does not lie under /registry/pods/',
    );
  });
});

describe('prepareResourcePrefix', () => {
  it('puts one slash at either end', () => {
    for (const prefix of ['registry/pods', '/registry/pods/', '//registry//pods//']) {
      expect(prepareResourcePrefix(prefix)).to.equal('/registry/pods/');
    }
  });

  it('refuses an empty prefix and dot segments', () => {
    for (const prefix of ['', '/', '///', '/a/../b']) {
      expect(() => prepareResourcePrefix(prefix))
        .to.throw()
        .with.property('code', 'INVALID_KEY');
    }
  });
});
