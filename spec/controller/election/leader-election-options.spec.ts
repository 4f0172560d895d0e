import { expect } from 'chai';
import {
  newIdentity,
  resolveElection,
  type LeaderElectorOptions,
} from '../../../lib/controller/election/leader-election-options.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';

const resolve = (options: Partial<LeaderElectorOptions>) =>
  resolveElection('Program', { name: 'program', ...options });

describe('The options of an election', () => {
  it('have the times of client-go where they are left out', () => {
    expect(resolve({})).to.include({
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryMs: 2000,
      requestMs: 5000,
      drainTimeoutMs: 25_000,
      fencing: 'local',
      preempt: false,
    });
  });

  it('give a request half of the deadline, and one second at least', () => {
    expect(resolve({ renewDeadlineMs: 2002, retryMs: 1000 }).requestMs).to.equal(1001);
    expect(resolve({ renewDeadlineMs: 1500, retryMs: 1000 }).requestMs).to.equal(1000);
  });

  it('refuse times of which one does not fit another', () => {
    for (const [options, problem] of [
      [
        { leaseDurationMs: 14_001 },
        '"leaseDurationMs" must be whole seconds, as a Lease has it, not 14001',
      ],
      [{ leaseDurationMs: 1 }, '"leaseDurationMs" must be whole seconds, as a Lease has it, not 1'],
      [
        { leaseDurationMs: 10_000 },
        '"renewDeadlineMs" (10000) must be less than "leaseDurationMs" (10000)',
      ],
      [
        { retryMs: 1000, renewDeadlineMs: 1200 },
        '"retryMs" (1000) must be less than "renewDeadlineMs" (1200) divided by 1.2',
      ],
      [
        { retryMs: 1, renewDeadlineMs: 1 },
        '"retryMs" (1) must be less than "renewDeadlineMs" (1) divided by 1.2',
      ],
    ] as const) {
      expect(() => resolve(options), JSON.stringify(options))
        .to.throw(`Program: option ${problem}`)
        .with.property('code', 'INVALID_OPTION');
    }
  });

  it('take times down to a millisecond, and no less', () => {
    const least = { retryMs: 1, renewDeadlineMs: 2, drainTimeoutMs: 1, leaseDurationMs: 1000 };
    expect(resolve(least)).to.include(least);
    for (const name of [
      'leaseDurationMs',
      'renewDeadlineMs',
      'retryMs',
      'drainTimeoutMs',
    ] as const) {
      expect(() => resolve({ [name]: 0 }), name).to.throw(`option "${name}" must be`);
    }
  });

  it('refuse names that Kubernetes refuses, and an empty identity', () => {
    expect(resolve({ name: 'a', namespace: 'shop-2.eu', identity: 'B 1' })).to.include({
      name: 'a',
      namespace: 'shop-2.eu',
      identity: 'B 1',
    });
    for (const name of ['', 'Program', '-a', 'a-', 5, undefined]) {
      expect(() => resolve({ name: name as string }), String(name)).to.throw('option "name" ');
    }
    expect(() => resolve({ namespace: 'a b' })).to.throw('option "namespace" ');
    for (const identity of ['', ' ', 5]) {
      expect(() => resolve({ identity: identity as string }), String(identity)).to.throw(
        'option "identity" ',
      );
    }
  });

  it('make an identity of the machine and a number of its own', () => {
    const runtime = new VirtualRuntime();
    const [one, other] = [newIdentity(runtime), newIdentity(runtime)];
    expect(one).to.match(/^\S+_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(one).not.to.equal(other);
  });
});
