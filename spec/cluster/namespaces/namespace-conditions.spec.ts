import { expect } from 'chai';
import {
  namespaceConditions,
  type NamespaceCondition,
} from '../../../lib/cluster/namespaces/namespace-deletion.ts';
import type { RemainingContent } from '../../../lib/cluster/namespaces/namespace-content.ts';

const EARLIER = '2026-01-01T00:00:00Z';
const NOW = '2026-01-01T00:00:10Z';
const EMPTY: RemainingContent = { resources: new Map(), finalizers: new Map(), failures: [] };
const FULL: RemainingContent = {
  resources: new Map([
    ['pods.', 2],
    ['configmaps.', 1],
  ]),
  finalizers: new Map([['example.com/hold', 3]]),
  failures: ['b', 'a'],
};

function first(content: RemainingContent = EMPTY): readonly NamespaceCondition[] {
  return namespaceConditions([], content, { now: EARLIER }) ?? [];
}

function trueOnes(conditions: readonly NamespaceCondition[] = []): Record<string, string> {
  const found = conditions.filter(({ status }) => status === 'True');
  return Object.fromEntries(
    found.map(({ type, reason, message }) => [type, `${reason}: ${message}`]),
  );
}

describe('namespaceConditions', () => {
  it('are five, all false, for a namespace that meets no obstacle', () => {
    const conditions = first();
    expect(conditions).to.have.length(5);
    expect(trueOnes(conditions)).to.deep.equal({});
    for (const one of conditions) expect(one.lastTransitionTime).to.equal(EARLIER);
  });

  it('say in the order of names what is left', () => {
    expect(trueOnes(first(FULL))).to.deep.equal({
      NamespaceDeletionContentFailure:
        'ContentDeletionFailed: Failed to delete all resource types, 2 remaining: a, b',
      NamespaceContentRemaining:
        'SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, pods. has 2 resource instances',
      NamespaceFinalizersRemaining:
        'SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 3 resource instances',
    });
  });

  it('say that discovery has failed', () => {
    const conditions = namespaceConditions([], EMPTY, { now: NOW, discovery: 'no answer' });
    expect(trueOnes(conditions)).to.deep.equal({
      NamespaceDeletionDiscoveryFailure: 'DiscoveryFailed: no answer',
    });
  });

  it('are undefined when they say it already', () => {
    expect(namespaceConditions(first(FULL), FULL, { now: NOW })).to.equal(undefined);
  });

  it('keep the time of their last transition when only the message changes', () => {
    const content = { ...FULL, resources: new Map([['pods.', 1]]) };
    const changed = namespaceConditions(first(FULL), content, { now: NOW }) ?? [];
    const times = new Set(changed.map(({ lastTransitionTime }) => lastTransitionTime));
    expect([...times]).to.deep.equal([EARLIER]);
  });

  it('get the present time when the status changes, and only then', () => {
    const changed = namespaceConditions(first(FULL), { ...FULL, failures: [] }, { now: NOW }) ?? [];
    const moved = changed.filter(({ lastTransitionTime }) => lastTransitionTime === NOW);
    expect(moved.map(({ type }) => type)).to.deep.equal(['NamespaceDeletionContentFailure']);
  });

  it('leave conditions of others as they are', () => {
    const other = { type: 'Other', status: 'True', reason: 'R', message: 'm' };
    const conditions = namespaceConditions([other], EMPTY, { now: NOW }) ?? [];
    expect(conditions[0]).to.deep.equal(other);
    expect(conditions).to.have.length(6);
  });
});
