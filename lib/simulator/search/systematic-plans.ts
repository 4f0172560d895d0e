import type { Fault, SimulationPlan } from '../contract/fault.ts';
import { SIMULATOR_VERSION } from '../contract/simulator-version.ts';
import type { Change } from '../record/cluster-history.ts';
import { pointOf, type Recording } from './recording.ts';

/** How long a restarted process is served by old caches, milliseconds. */
const STALE_MS = 20_000;
/** Changes before a deletion that may have led to it. */
const CAUSES = 8;
/** Later changes that may make that deletion wrong. */
const REVERSALS = 6;

/**
 * Plans made from a run without faults, one fault each: the three patterns of Sieve. A crash around each write that changed something; a
 * restart with old caches for each deletion and what may have led to it; each change hidden until the next change of the same object.
 * @see "Automatic Reliability Testing for Cluster Management Controllers", Sun et al., OSDI 2022
 */
export function systematicPlans(recording: Recording): readonly SimulationPlan[] {
  const plans = [
    ...intermediateStates(recording),
    ...staleStates(recording),
    ...unobservedStates(recording),
  ];
  const seen = new Set<string>();
  return plans
    .filter(({ fault }) => {
      const text = JSON.stringify(fault);
      if (seen.has(text)) return false;
      seen.add(text);
      return true;
    })
    .map(({ pattern, fault }, index) => ({
      version: SIMULATOR_VERSION,
      seed: index + 1,
      faults: [fault],
      origin: pattern,
    }));
}

interface Planned {
  readonly pattern: 'intermediate state' | 'stale state' | 'unobserved state';
  readonly fault: Fault;
}

function intermediateStates({ writes }: Recording): readonly Planned[] {
  return writes.flatMap(({ process, at }) => [
    { pattern: 'intermediate state', fault: { kind: 'crash', process, at, moment: 'handled' } },
    {
      pattern: 'intermediate state',
      fault: { kind: 'error', process, at, status: 504, handled: true },
    },
  ]);
}

function staleStates({ changes, processes }: Recording): readonly Planned[] {
  const planned: Planned[] = [];
  for (const [index, deletion] of changes.entries()) {
    if (!processes.includes(deletion.writer) || !isDeletion(deletion)) continue;
    const causes = changes.slice(Math.max(0, index - CAUSES), index + 1);
    for (const reversal of reversals(changes, index, causes)) {
      for (const cause of causes) {
        for (const side of ['before', 'after'] as const) {
          const view = pointOf(cause);
          const at = pointOf(reversal);
          const process = deletion.writer;
          const fault: Fault = { kind: 'stale', process, at, view, side, forMs: STALE_MS };
          planned.push({ pattern: 'stale state', fault });
        }
      }
    }
  }
  return planned;
}

/** Also one that only marks the object, because it has finalizers. */
function isDeletion({ type, before, after }: Change): boolean {
  if (type === 'deleted') return true;
  if (type !== 'changed' || before === undefined || after === undefined) return false;
  const mark = '"deletionTimestamp"';
  return Buffer.from(after.value).includes(mark) && !Buffer.from(before.value).includes(mark);
}

/** Later changes of the same objects, and creations: those that bring back what the deletion took away. */
function reversals(
  changes: readonly Change[],
  index: number,
  causes: readonly Change[],
): readonly Change[] {
  const concerned = new Set(causes.map(({ ref }) => `${ref.resource} ${ref.object}`));
  return changes
    .slice(index + 1)
    .filter(
      ({ ref, type }) =>
        type === 'created' ||
        (type === 'changed' && concerned.has(`${ref.resource} ${ref.object}`)),
    )
    .slice(0, REVERSALS);
}

function unobservedStates({ changes, processes }: Recording): readonly Planned[] {
  const planned: Planned[] = [];
  for (const [index, change] of changes.entries()) {
    const { resource, object } = change.ref;
    const next = changes
      .slice(index + 1)
      .find(({ ref }) => ref.resource === resource && ref.object === object);
    if (next === undefined) continue;
    for (const process of processes) {
      for (const mode of ['missed', 'late'] as const) {
        const fault: Fault = {
          kind: 'hide',
          process,
          at: pointOf(change),
          until: pointOf(next),
          mode,
        };
        planned.push({ pattern: 'unobserved state', fault });
      }
    }
  }
  return planned;
}
