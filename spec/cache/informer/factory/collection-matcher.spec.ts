import { expect } from 'chai';
import { collectionMatcher } from '../../../../lib/cache/informer/factory/collection-matcher.ts';
import type { CollectionOptions } from '../../../../lib/meta/collection-options.ts';
import { codeOf, pod } from '../../support/objects.ts';

const scheduled = pod('a', { labels: { app: 'web' }, nodeName: 'node-1' });

describe('collectionMatcher', () => {
  const rows: readonly [options: CollectionOptions, matches: boolean][] = [
    [{ namespace: 'shop' }, true],
    [{ namespace: 'other' }, false],
    [{ labelSelector: 'app in (web, api)' }, true],
    [{ labelSelector: '!app' }, false],
    [{ fieldSelector: 'metadata.name=a,spec.nodeName=node-1' }, true],
    [{ fieldSelector: 'spec.nodeName!=node-1' }, false],
    [{ fieldSelector: 'spec.nodeName=' }, false],
    [{ fieldSelector: 'spec.hostNetwork=false,status.phase!=Failed' }, true],
    [{ fieldSelector: 'spec.hostNetwork=true' }, false],
    [{ fieldSelector: 'metadata.labels=x' }, false],
    [{ fieldSelector: 'metadata.__proto__=x' }, false],
    [{ namespace: 'shop', labelSelector: 'app=web', fieldSelector: 'spec.nodeName=node-2' }, false],
  ];
  for (const [options, matches] of rows) {
    it(`${matches ? 'takes' : 'leaves out'} an object for ${JSON.stringify(options)}`, () => {
      expect(collectionMatcher(options)?.(scheduled)).to.equal(matches);
    });
  }

  it('is nothing when everything belongs', () => {
    expect(collectionMatcher({})).to.equal(undefined);
    expect(collectionMatcher({ namespace: '', labelSelector: ' ', fieldSelector: '' })).to.equal(
      undefined,
    );
  });

  it('refuses selectors that make no sense', () => {
    expect(codeOf(() => collectionMatcher({ labelSelector: 'a=(' }))).to.equal('INVALID_SELECTOR');
    expect(codeOf(() => collectionMatcher({ fieldSelector: 'name' }))).to.equal('INVALID_SELECTOR');
  });
});
