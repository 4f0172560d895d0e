import { expect } from 'chai';
import { recordsAt } from '../../../lib/meta/json-value.ts';
import { RegistryHarness, pod, rejection } from '../../server/registry/support/registry-harness.ts';

describe('a new pod', () => {
  let harness: RegistryHarness;

  beforeEach(async () => {
    harness = await RegistryHarness.start();
  });

  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
  });

  it('has the priority of its class, and cannot give another one', async () => {
    const plain = await harness.create('pods', pod('a'));
    expect(plain['spec']).to.include({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    const critical = await harness.create(
      'pods',
      pod('b', { priorityClassName: 'system-node-critical' }),
    );
    expect(critical['spec']).to.include({ priority: 2_000_001_000 });
    const error = await rejection(harness.create('pods', pod('c', { priority: 5 })));
    expect(error).to.include({ code: 'FORBIDDEN' });
    expect(error.message).to.contain('the integer value of priority (5) must not be provided');
  });

  it('tolerates a lost node for five minutes unless it says otherwise', async () => {
    const plain = await harness.create('pods', pod('a'));
    const keys = recordsAt(plain, 'spec', 'tolerations').map(({ key }) => key);
    expect(keys).to.deep.equal(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);
    const own = [{ operator: 'Exists' }];
    const free = await harness.create('pods', pod('b', { tolerations: own }));
    expect(recordsAt(free, 'spec', 'tolerations')).to.deep.equal(own);
  });

  it('with scheduling gates says that it is not scheduled', async () => {
    const made = await harness.create(
      'pods',
      pod('a', { schedulingGates: [{ name: 'x.example/y' }] }),
    );
    expect(recordsAt(made, 'status', 'conditions')[0]).to.include({
      type: 'PodScheduled',
      reason: 'SchedulingGated',
      lastProbeTime: null,
    });
  });
});
