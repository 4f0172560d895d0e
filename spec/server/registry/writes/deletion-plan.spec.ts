import { expect } from 'chai';
import {
  blockingFinalizers,
  planDeletion,
} from '../../../../lib/server/registry/writes/deletion-plan.ts';
import type {
  MutableMetadata,
  MutableObject,
} from '../../../../lib/server/registry/rules/mutable-object.ts';
import type { DeleteStrategy } from '../../../../lib/server/registry/contract/strategy.ts';

const NOW = Date.UTC(2024, 0, 1);
const AT_ONCE: DeleteStrategy = {};
/** As pods have it: what is asked for, else 30 seconds. */
const GRACEFUL: DeleteStrategy = { gracePeriodSeconds: (_object, asked) => asked ?? 30 };

const object = (metadata: MutableMetadata = {}): MutableObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', ...metadata },
});

/** `remove`, `wait`, or `mark 30 until 2024-…`. */
function planned(
  strategy: DeleteStrategy,
  metadata: MutableMetadata,
  askedSeconds?: number,
): string {
  const plan = planDeletion(strategy, object(metadata), { askedSeconds, nowMs: NOW });
  if (plan.action !== 'mark') return plan.action;
  const { deletionGracePeriodSeconds, deletionTimestamp } = plan.object.metadata;
  return `mark ${deletionGracePeriodSeconds} until ${deletionTimestamp}`;
}

const HELD = { finalizers: ['example.io/wait'] };
const RUNNING = {
  deletionTimestamp: '2024-01-01T00:00:20Z',
  deletionGracePeriodSeconds: 20,
};
const DUE = { deletionTimestamp: '2024-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };

describe('planDeletion', () => {
  const rows: readonly [
    title: string,
    strategy: DeleteStrategy,
    metadata: MutableMetadata,
    asked: number | undefined,
    expected: string,
  ][] = [
    ['removes an object that nothing keeps', AT_ONCE, {}, undefined, 'remove'],
    [
      'marks an object with a finalizer',
      AT_ONCE,
      HELD,
      undefined,
      `mark 0 until ${DUE.deletionTimestamp}`,
    ],
    [
      'gives the default grace period',
      GRACEFUL,
      {},
      undefined,
      'mark 30 until 2024-01-01T00:00:30Z',
    ],
    [
      'gives the grace period that is asked for',
      GRACEFUL,
      {},
      5,
      'mark 5 until 2024-01-01T00:00:05Z',
    ],
    [
      'takes a negative grace period for one second',
      GRACEFUL,
      {},
      -7,
      'mark 1 until 2024-01-01T00:00:01Z',
    ],
    ['marks and removes at once with grace period 0', GRACEFUL, {}, 0, 'mark and remove'],
    [
      'keeps a finalizer with grace period 0',
      GRACEFUL,
      HELD,
      0,
      'mark 0 until 2024-01-01T00:00:00Z',
    ],
    ['removes an object that is due and that nothing keeps', GRACEFUL, DUE, undefined, 'remove'],
    ['removes an object that is due whatever is asked for', GRACEFUL, DUE, 60, 'remove'],
    ['waits for the finalizer of an object that is due', GRACEFUL, { ...DUE, ...HELD }, 0, 'wait'],
    ['waits while a grace period runs', GRACEFUL, RUNNING, undefined, 'wait'],
    ['does not lengthen a grace period', GRACEFUL, RUNNING, 21, 'wait'],
    ['waits for the same grace period', GRACEFUL, RUNNING, 20, 'wait'],
    [
      'shortens a grace period, counted from its beginning',
      GRACEFUL,
      RUNNING,
      5,
      'mark 5 until 2024-01-01T00:00:05Z',
    ],
    [
      'shortens to one second when a negative one is asked for',
      GRACEFUL,
      RUNNING,
      -1,
      'mark 1 until 2024-01-01T00:00:01Z',
    ],
    ['ends a grace period at once', GRACEFUL, RUNNING, 0, 'mark and remove'],
    [
      'ends a grace period at once, but keeps a finalizer',
      GRACEFUL,
      { ...RUNNING, ...HELD },
      0,
      'mark 0 until 2024-01-01T00:00:00Z',
    ],
  ];
  for (const [title, strategy, metadata, asked, expected] of rows) {
    it(title, () => {
      expect(planned(strategy, metadata, asked)).to.equal(expected);
    });
  }

  it('counts a mark as a change of an object that has a generation', () => {
    const generation = (metadata: MutableMetadata): unknown =>
      planDeletion(GRACEFUL, object(metadata), { askedSeconds: undefined, nowMs: NOW }).object
        .metadata.generation;
    expect(generation({ generation: 3 })).to.equal(4);
    expect(generation({ generation: 1 })).to.equal(2);
    expect(generation({ generation: 0 })).to.equal(0);
    expect(generation({})).to.equal(undefined);
    expect(generation({ generation: 3, ...RUNNING }), 'marked already').to.equal(3);
  });

  it('leaves the object it is asked about as it is', () => {
    const prepared: DeleteStrategy = {
      prepareForDelete: ({ metadata }) => {
        metadata.labels = { leaving: 'true' };
      },
    };
    const existing = object(HELD);
    const { object: marked } = planDeletion(prepared, existing, {
      askedSeconds: undefined,
      nowMs: NOW,
    });
    expect(existing).to.deep.equal(object(HELD));
    expect(marked.metadata.labels).to.deep.equal({ leaving: 'true' });
  });

  it('lets the strategy prepare an object once, not one that is marked already', () => {
    let prepared = 0;
    const strategy: DeleteStrategy = { prepareForDelete: () => void (prepared += 1) };
    for (const metadata of [HELD, { ...DUE, ...HELD }]) planned(strategy, metadata);
    expect(prepared).to.equal(1);
  });
});

describe('blockingFinalizers', () => {
  it('are all of the object, also those for a garbage collector', () => {
    const finalizers = ['orphan', 'example.io/wait', 'foregroundDeletion'];
    expect(blockingFinalizers({}, object({ finalizers }))).to.deep.equal(finalizers);
    expect(blockingFinalizers({}, object())).to.deep.equal([]);
  });

  it('takes those of the strategy instead, where it names them', () => {
    const strategy: DeleteStrategy = { finalizersOf: () => ['kubernetes'] };
    expect(blockingFinalizers(strategy, object(HELD))).to.deep.equal(['kubernetes']);
  });
});

describe('the finalizer of a propagation policy', () => {
  const ORPHANS: DeleteStrategy = { defaultPropagation: 'Orphan' };
  const NONE: DeleteStrategy = { defaultPropagation: 'Unsupported' };
  const after = (
    strategy: DeleteStrategy,
    policy: 'Orphan' | 'Foreground' | 'Background' | undefined,
    finalizers: string[] = [],
  ): unknown => {
    const wish = { askedSeconds: undefined, policy, nowMs: NOW };
    return planDeletion(strategy, object({ finalizers }), wish).object.metadata.finalizers ?? [];
  };

  it('is that of the request', () => {
    expect(after({}, 'Orphan')).to.deep.equal(['orphan']);
    expect(after({}, 'Foreground', ['a/b'])).to.deep.equal(['a/b', 'foregroundDeletion']);
    expect(after(ORPHANS, 'Background')).to.deep.equal([]);
  });

  it('replaces that of another policy', () => {
    expect(after({}, 'Background', ['orphan', 'a/b'])).to.deep.equal(['a/b']);
    expect(after({}, 'Foreground', ['orphan'])).to.deep.equal(['foregroundDeletion']);
  });

  it('is without a policy in the request that of the object, else that of the kind', () => {
    expect(after(ORPHANS, undefined)).to.deep.equal(['orphan']);
    expect(after(ORPHANS, undefined, ['foregroundDeletion'])).to.deep.equal(['foregroundDeletion']);
    expect(after({}, undefined)).to.deep.equal([]);
  });

  it('changes while other finalizers keep an object that is due, and removes one that it kept alone', () => {
    const again = (
      policy: 'Orphan' | 'Foreground' | 'Background' | undefined,
      finalizers: string[],
      strategy: DeleteStrategy = {},
    ): unknown => {
      const wish = { askedSeconds: undefined, policy, nowMs: NOW };
      const { action, object: kept } = planDeletion(strategy, object({ ...DUE, finalizers }), wish);
      return [action, ...(kept.metadata.finalizers ?? [])];
    };
    expect(again('Orphan', ['a/b'])).to.deep.equal(['mark', 'a/b', 'orphan']);
    expect(again('Foreground', ['orphan'])).to.deep.equal(['mark', 'foregroundDeletion']);
    expect(again('Background', ['orphan'])).to.deep.equal(['mark and remove']);
    expect(again(undefined, ['orphan'])).to.deep.equal(['wait', 'orphan']);
    const elsewhere: DeleteStrategy = { finalizersOf: () => ['kubernetes'] };
    expect(again('Orphan', ['a/b'], elsewhere)).to.deep.equal(['wait', 'a/b']);
  });

  it('is left out of kinds without dependents', () => {
    expect(after(NONE, 'Orphan', ['foregroundDeletion'])).to.deep.equal([]);
  });
});
