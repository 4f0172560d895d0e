import { expect } from 'chai';
import { backoffMs, SchedulingQueue } from '../../../lib/cluster/scheduling/scheduling-queue.ts';
import { podFacts, type PodToPlace } from '../../../lib/cluster/scheduling/model/pod-facts.ts';
import type { PluginName } from '../../../lib/cluster/scheduling/model/plugin.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type { Pod } from '../../../lib/types/built-in/core-v1-kinds.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

function pod(name: string, priority: number = 0, gates: string[] = []): PodToPlace {
  const metadata = { name, uid: name, resourceVersion: '1', creationTimestamp: '' };
  const schedulingGates = gates.map((gate) => ({ name: gate }));
  const object: Stored<Pod> = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers: [], priority, schedulingGates },
  };
  return { pod: object, facts: podFacts(object) };
}

const RESOURCES: ReadonlySet<PluginName> = new Set(['NodeResourcesFit'] as const);
const GONE = { kind: 'pod-gone', pod: pod('gone').facts } as const;

function world(): { readonly queue: SchedulingQueue; readonly runtime: VirtualRuntime } {
  const runtime = new VirtualRuntime();
  return { queue: new SchedulingQueue({ runtime, onReady: () => {} }), runtime };
}

function taken(queue: SchedulingQueue): string | undefined {
  return queue.take()?.uid;
}

describe('SchedulingQueue', () => {
  it('gives pods by priority, and then in the order in which they came', () => {
    const { queue } = world();
    for (const one of [pod('a'), pod('b', 5), pod('c'), pod('d', 5)]) queue.add(one);
    expect([taken(queue), taken(queue), taken(queue), taken(queue), taken(queue)]).to.deep.equal([
      'b',
      'd',
      'a',
      'c',
      undefined,
    ]);
  });

  it('keeps a pod that found no node until something changes that may help', () => {
    const { queue } = world();
    queue.add(pod('a'));
    const a = queue.take();
    if (a === undefined) throw new Error('no pod');
    queue.failed(a, RESOURCES);
    queue.changed({ kind: 'pod-placed', pod: pod('other').facts });
    queue.changed({ kind: 'volumes', namespace: undefined });
    expect(taken(queue)).to.equal(undefined);
    queue.changed(GONE);
    expect(taken(queue)).to.equal('a');
  });

  it('asks a pod about those changes that concern a plug-in that was against it', () => {
    const { queue } = world();
    queue.add(pod('a'));
    const a = queue.take();
    if (a === undefined) throw new Error('no pod');
    queue.failed(a, new Set(['PodTopologySpread'] as const));
    queue.changed({ kind: 'pod-placed', pod: pod('other').facts });
    expect(taken(queue)).to.equal('a');
  });

  it('prefers other pods to one that backs off, and takes that one early when it is alone', () => {
    const { queue } = world();
    queue.add(pod('a', 9));
    const a = queue.take();
    if (a === undefined) throw new Error('no pod');
    queue.failed(a, RESOURCES);
    queue.add(pod('b'));
    queue.changed(GONE);
    expect(queue.counts).to.include({ active: 1, backingOff: 1 });
    expect([taken(queue), taken(queue)]).to.deep.equal(['b', 'a']);
  });

  it('takes a pod in its turn again once its back-off is over', async () => {
    const { queue, runtime } = world();
    queue.add(pod('a', 9));
    const a = queue.take();
    if (a === undefined) throw new Error('no pod');
    queue.failed(a, RESOURCES);
    queue.add(pod('b'));
    queue.changed(GONE);
    await runtime.advance(1000);
    expect(taken(queue)).to.equal('a');
  });

  it('tries a pod again after an error when its back-off is over, and not before', async () => {
    const { queue, runtime } = world();
    queue.add(pod('a'));
    for (const waitMs of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
      const a = queue.take();
      if (a === undefined) throw new Error('no pod');
      queue.retried(a);
      await runtime.advance(waitMs - 1);
      expect(queue.counts).to.include({ active: 0, backingOff: 1 });
      expect(taken(queue)).to.equal(undefined);
      await runtime.advance(1);
      expect(queue.counts).to.include({ active: 1, backingOff: 0 });
    }
  });

  it('does not give a pod out again that is in work', () => {
    const { queue } = world();
    queue.add(pod('a'));
    const a = queue.take();
    if (a === undefined) throw new Error('no pod');
    queue.activate('a');
    expect(taken(queue)).to.equal(undefined);
    queue.failed(a, RESOURCES);
    queue.activate('a');
    expect(taken(queue)).to.equal('a');
  });

  it('keeps a gated pod until its gates are gone', () => {
    const { queue } = world();
    queue.add(pod('a', 0, ['mine']));
    expect(taken(queue)).to.equal(undefined);
    expect(queue.counts.gated).to.equal(1);
    queue.update(pod('a'));
    expect(taken(queue)).to.equal('a');
    expect(queue.counts.gated).to.equal(0);
  });

  it('forgets a pod that is deleted, wherever it is', () => {
    const { queue } = world();
    queue.add(pod('a'));
    queue.add(pod('b', 0, ['mine']));
    const a = queue.take();
    if (a === undefined) throw new Error('no pod');
    queue.delete('a');
    queue.delete('b');
    queue.failed(a, RESOURCES);
    queue.retried(a);
    expect(queue.counts).to.deep.equal({ active: 0, backingOff: 0, unschedulable: 0, gated: 0 });
    expect(queue.has('a')).to.equal(false);
  });

  it('has back-offs of 1 s to 10 s', () => {
    expect([0, 1, 2, 3, 4, 5, 99].map(backoffMs)).to.deep.equal([
      0, 1000, 2000, 4000, 8000, 10_000, 10_000,
    ]);
  });
});
