import { expect } from 'chai';
import {
  closestResource,
  collectionPath,
  collectionText,
  findResource,
  resourceName,
  spelledOut,
  type DiscoveredResource,
} from '../../../../lib/cli/doctor/requests/find-resource.ts';

function row(
  group: string,
  version: string,
  resource: string,
  aliases: string[] = [],
): DiscoveredResource {
  return { group, version, resource, namespaced: resource !== 'nodes', aliases, verbs: [] };
}

const RESOURCES = [
  row('', 'v1', 'pods', ['pod', 'po']),
  row('', 'v1', 'nodes', ['node', 'no']),
  row('autoscaling', 'v2', 'horizontalpodautoscalers', ['hpa']),
  row('autoscaling', 'v1', 'horizontalpodautoscalers', ['hpa']),
  row('metrics.k8s.io', 'v1beta1', 'pods', ['pod', 'podmetrics']),
];

describe('the resources of listwatch doctor', () => {
  const find = (text: string): string => {
    const found = findResource(text, RESOURCES);
    return found === undefined ? 'none' : `${resourceName(found)} ${found.version}`;
  };

  it('are found by plural, singular, short name or kind, in any case', () => {
    for (const text of ['pods', 'pod', 'po', 'Pod', 'PODS']) expect(find(text)).to.equal('pods v1');
  });

  it('are found by group, in the preferred version, and by version and group', () => {
    expect(find('pods.metrics.k8s.io')).to.equal('pods.metrics.k8s.io v1beta1');
    expect(find('hpa')).to.equal('horizontalpodautoscalers.autoscaling v2');
    expect(find('hpa.autoscaling')).to.equal('horizontalpodautoscalers.autoscaling v2');
    expect(find('hpa.v1.autoscaling')).to.equal('horizontalpodautoscalers.autoscaling v1');
    expect(find('pods.v1')).to.equal('pods v1');
  });

  it('are not found in another group or version', () => {
    for (const text of ['pods.apps', 'hpa.v3.autoscaling', 'widgets', '', '.apps']) {
      expect(find(text), text).to.equal('none');
    }
  });

  it('have a closest one: the same name in another group, or a misspelled name', () => {
    expect(closestResource('hpa.apps', RESOURCES)).to.equal(undefined);
    expect(closestResource('nodes.apps', RESOURCES)).to.equal('nodes');
    expect(closestResource('ndoes', RESOURCES)).to.equal('nodes');
    expect(closestResource('widgets', RESOURCES)).to.equal(undefined);
  });

  it('are spelled out where discovery may not be asked', () => {
    expect(spelledOut('pods')).to.deep.include({ group: '', version: 'v1', resource: 'pods' });
    expect(spelledOut('deployments.v1.apps')).to.deep.include({ group: 'apps', version: 'v1' });
    expect(spelledOut('deployments.apps')).to.equal(undefined);
  });

  it('have a path and a text for one namespace, for all, and without namespaces', () => {
    const [pods, nodes, hpa] = RESOURCES as [
      DiscoveredResource,
      DiscoveredResource,
      DiscoveredResource,
    ];
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
