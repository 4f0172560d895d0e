import { expect } from 'chai';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import {
  claimFaults,
  podFaults,
  setContainerDefaults,
} from '../../../lib/kinds/admission/limit-ranger.ts';
import type { MutableObject } from '../../../lib/server/registry/rules/mutable-object.ts';

function podOf(...resources: readonly object[]): MutableObject {
  const containers = resources.map((one, index) => ({ name: `c${index}`, resources: one }));
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec: { containers } };
}

describe('LimitRanges', () => {
  it('set nothing, and no annotation, where containers have everything', () => {
    const pod = podOf({ limits: { cpu: '1' }, requests: { cpu: '1' } });
    const before = structuredClone(pod);
    setContainerDefaults(pod, [{ type: 'Container', default: { cpu: '2' } }]);
    expect(pod).to.deep.equal(before);
  });

  it('set only what is missing, and name it in the order of the alphabet', () => {
    const pod = podOf({ limits: { cpu: '1' } });
    setContainerDefaults(pod, [
      { type: 'Container', default: { memory: '1Gi', cpu: '2', 'a.io/b': '1' } },
      { type: 'Pod', default: { other: '1' } },
    ]);
    expect(pod['spec']).to.deep.equal({
      containers: [
        { name: 'c0', resources: { limits: { cpu: '1', 'a.io/b': '1', memory: '1Gi' } } },
      ],
    });
    expect(pod.metadata['annotations']).to.deep.equal({
      'kubernetes.io/limit-ranger': 'LimitRanger plugin set: a.io/b, memory limit for container c0',
    });
  });

  it('bound ratios exactly, without rounding', () => {
    const pod = podOf({ requests: { memory: '3' }, limits: { memory: '10' } });
    const ratio = (bound: string): string[] =>
      podFaults(pod, [{ type: 'Container', maxLimitRequestRatio: { memory: bound } }]);
    expect(ratio('3334m')).to.deep.equal([]);
    expect(ratio('3333m')).to.deep.equal([
      'memory max limit to request ratio per Container is 3333m, but provided ratio is 3.333333',
    ]);
  });

  it('of containers do not bound claims, and those of claims no pods', () => {
    const limits = [
      { type: 'Container', max: { storage: '1', cpu: '1' } },
      { type: 'PersistentVolumeClaim', max: { storage: '2' } },
    ];
    const claim: UnstructuredObject = {
      metadata: { name: 'one' },
      spec: { resources: { requests: { storage: '3' } } },
    };
    expect(claimFaults(claim, limits)).to.deep.equal([
      'maximum storage usage per PersistentVolumeClaim is 2, but request is 3',
    ]);
    expect(podFaults(podOf({ limits: { cpu: '1', storage: '1' } }), limits)).to.deep.equal([]);
  });
});
