import type { PlannedFault, SimulationPlan } from '../contract/fault.ts';
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
 * restart with old caches for each deletion and what may have led to it; each change hidden until the next change of the same object. And a
 * restart with lists in another order for each change of the user.
 * @see "Automatic Reliability Testing for Cluster Management Controllers", Sun et al., OSDI 2022
 */
export function systematicPlans(recording: Recording): readonly SimulationPlan[] {
  const plans = [
    ...intermediateStates(recording),
    ...otherOrders(recording),
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

/**
 * Without lists of the past, it makes no difference which past a restart is served with: of plans for one process and one moment one is left.
 * `readsPast`: whether the process sends lists that old caches answer, as the run of one of its plans shows.
 */
export async function withoutEqualPasts(
  plans: readonly SimulationPlan[],
  readsPast: (process: string, plan: SimulationPlan) => Promise<boolean>,
): Promise<readonly SimulationPlan[]> {
  const readers = new Map<string, boolean>();
  const seen = new Set<string>();
  const left: SimulationPlan[] = [];
  for (const plan of plans) {
    const [fault] = plan.faults;
    if (fault?.kind !== 'stale') {
      left.push(plan);
      continue;
    }
    const { process, at } = fault;
    const known = readers.get(process) ?? (await readsPast(process, plan));
    readers.set(process, known);
    const moment = JSON.stringify([process, at]);
    if (known || !seen.has(moment)) left.push(plan);
    seen.add(moment);
  }
  return left;
}

interface Planned {
  readonly pattern: 'intermediate state' | 'stale state' | 'unobserved state' | 'list order';
  readonly fault: PlannedFault;
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

/** One plan of each deletion after the other, so that a short search tries all of them. What came last before a deletion comes first. */
function staleStates({ changes, processes }: Recording): readonly Planned[] {
  const byDeletion: Planned[][] = [];
  for (const [index, deletion] of changes.entries()) {
    if (!processes.includes(deletion.writer) || !isDeletion(deletion)) continue;
    const planned: Planned[] = [];
    const causes = changes.slice(Math.max(0, index - CAUSES), index + 1);
    const later = reversals(changes, index, causes);
    for (const cause of causes.toReversed()) {
      for (const reversal of later) {
        for (const side of ['after', 'before'] as const) {
          const view = pointOf(cause);
          const at = pointOf(reversal);
          const process = deletion.writer;
          const fault: PlannedFault = { kind: 'stale', process, at, view, side, forMs: STALE_MS };
          planned.push({ pattern: 'stale state', fault });
        }
      }
    }
    byDeletion.push(planned);
  }
  const longest = Math.max(0, ...byDeletion.map(({ length }) => length));
  return Array.from({ length: longest }, (_, number) =>
    byDeletion.flatMap((planned) => planned[number] ?? []),
  ).flat();
}

/** Also one that only marks the object, because it has finalizers. */
function isDeletion({ type, before, after }: Change): boolean {
  if (type === 'deleted') return true;
  if (type !== 'changed' || before === undefined || after === undefined) return false;
  const mark = '"deletionTimestamp"';
  return Buffer.from(after.value).includes(mark) && !Buffer.from(before.value).includes(mark);
}

/** Later changes of the same objects, and creations: first those that bring back what was there. */
function reversals(
  changes: readonly Change[],
  index: number,
  causes: readonly Change[],
): readonly Change[] {
  const concerned = new Set(causes.map(({ ref }) => `${ref.resource} ${ref.object}`));
  const isConcerned = ({ ref }: Change): boolean => concerned.has(`${ref.resource} ${ref.object}`);
  const later = changes
    .slice(index + 1)
    .filter((one) => one.type === 'created' || (one.type === 'changed' && isConcerned(one)));
  const again = later.filter((one) => one.type === 'created' && isConcerned(one));
  return [...new Set([...again, ...later])].slice(0, REVERSALS);
}

/** Plans in which a process sees lists in another order after a change of the user. */
function otherOrders({ changes, processes }: Recording): readonly Planned[] {
  return changes
    .filter(({ writer }) => writer === 'user')
    .flatMap((change) =>
      processes.map((process) => ({
        pattern: 'list order',
        fault: { kind: 'reorder', process, at: pointOf(change) },
      })),
    );
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
        const fault: PlannedFault = {
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
