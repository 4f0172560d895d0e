import { expect } from 'chai';
import {
  collectionPath,
  collectionText,
  spelledOut,
} from '../../../../lib/cli/doctor/requests/collection-path.ts';

describe('the resources of listwatch doctor', () => {
  it('are spelled out where discovery may not be asked', () => {
    expect(spelledOut('pods')).to.deep.include({ group: '', version: 'v1', resource: 'pods' });
    expect(spelledOut('deployments.v1.apps')).to.deep.include({ group: 'apps', version: 'v1' });
    expect(spelledOut('deployments.apps')).to.equal(undefined);
  });

  it('have a path and a text for one namespace, for all, and without namespaces', () => {
    const pods = { group: '', version: 'v1', resource: 'pods', namespaced: true };
    const nodes = { ...pods, resource: 'nodes', namespaced: false };
    const hpa = {
      ...pods,
      group: 'autoscaling',
      version: 'v2',
      resource: 'horizontalpodautoscalers',
    };
    expect(collectionPath(pods, 'a/b')).to.equal('/api/v1/namespaces/a%2Fb/pods');
    expect(collectionPath(nodes, 'shop')).to.equal('/api/v1/nodes');
    expect(collectionPath(hpa, undefined)).to.equal(
      '/apis/autoscaling/v2/horizontalpodautoscalers',
    );
    expect(collectionText(pods, 'shop')).to.equal('pods in namespace shop');
    expect(collectionText(pods, undefined)).to.equal('pods in all namespaces');
    expect(collectionText(nodes, 'shop')).to.equal('nodes');
  });
});
