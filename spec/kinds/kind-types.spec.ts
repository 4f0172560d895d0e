import { NEWEST_MINOR } from '../../lib/meta/releases/kubernetes-releases.ts';
import { expect } from 'chai';
import { KindTypes } from '../../lib/kinds/kind-types.ts';

describe('the type of a kind', () => {
  const bookmark = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { resourceVersion: '7', annotations: undefined },
  };

  it('adds the fields that Go always writes, without defaults: so bookmarks look, whose replicas are a number', () => {
    const type = new KindTypes(NEWEST_MINOR).of({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
    });
    expect(type.withZeros(bookmark)).to.deep.equal({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { resourceVersion: '7' },
      spec: {
        replicas: 0,
        selector: null,
        template: { metadata: {}, spec: { containers: null } },
        strategy: {},
      },
      status: {},
    });
  });

  it('adds nothing to a kind whose fields Go leaves out', () => {
    const type = new KindTypes(NEWEST_MINOR).of({ group: '', version: 'v1', kind: 'ConfigMap' });
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion: '7' } };
    expect(type.withZeros(map)).to.deep.equal(map);
  });
});
