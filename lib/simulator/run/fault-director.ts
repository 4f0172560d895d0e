import type { ChangePoint, PlannedFault } from '../contract/fault.ts';
import { ClusterHistory, type Change } from '../record/cluster-history.ts';
import type { Journal } from '../record/journal.ts';
import type { SimulatedProcess } from '../process/simulated-process.ts';
import type { RequestFault } from '../network/process-link.ts';
import { faultText } from '../contract/fault-text.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';

type ChangeFault = Extract<PlannedFault, { readonly kind: 'cut' | 'hide' | 'stale' | 'reorder' }>;

/** No change stays hidden longer, milliseconds: no fault lasts. */
const LONGEST_HIDDEN_MS = 120_000;

const CHANGE_FAULTS: ReadonlySet<PlannedFault['kind']> = new Set([
  'cut',
  'hide',
  'stale',
  'reorder',
]);

export function isRequestFault(fault: PlannedFault): fault is RequestFault {
  return !CHANGE_FAULTS.has(fault.kind);
}

/** Counts the changes of one point. */
class Counter {
  readonly #point: ChangePoint;
  #seen = 0;

  constructor(point: ChangePoint) {
    this.#point = point;
  }

  /** Whether this change is the one. */
  counts(change: Change): boolean {
    return this.reaches(change) && this.#seen === this.#point.occurrence;
  }

  /** Whether this change is the one, or one of its kind that comes later. */
  reaches(change: Change): boolean {
    if (!ClusterHistory.matches(change, this.#point)) return false;
    this.#seen += 1;
    return this.#seen >= this.#point.occurrence;
  }
}

interface ArmedFault {
  readonly fault: ChangeFault;
  readonly at: Counter;
  readonly other: Counter | undefined;
  state: 'waits' | 'holds' | 'over';
  /** The revision of the view of time travel. */
  view: string | undefined;
}

export interface FaultDirectorOptions {
  readonly faults: readonly PlannedFault[];
  readonly processOf: (name: string) => SimulatedProcess | undefined;
  readonly runtime: Runtime;
  readonly journal: Journal;
  readonly onBusy: () => void;
}

/** Makes the faults of a plan happen: those at changes of objects, and the lasting effects of those at requests. */
export class FaultDirector {
  readonly #options: FaultDirectorOptions;
  readonly #armed: ArmedFault[];
  /** Numbers of faults of the plan that have happened. */
  readonly struck: Set<PlannedFault> = new Set();
  #lasting = 0;

  constructor(options: FaultDirectorOptions) {
    this.#options = options;
    this.#armed = options.faults
      .filter((fault): fault is ChangeFault => !isRequestFault(fault))
      .map((fault) => ({
        fault,
        at: new Counter(fault.at),
        other: otherPoint(fault),
        state: 'waits',
        view: undefined,
      }));
  }

  /** Whether an effect lasts that ends by itself. */
  get isLasting(): boolean {
    return this.#lasting > 0;
  }

  /** A change was committed: no watch has it yet. */
  committed(change: Change): void {
    for (const armed of this.#armed) if (armed.state !== 'over') this.#look(armed, change);
  }

  /** A fault at a request happens. What the network does not do itself is done here. */
  strikes(fault: RequestFault): void {
    this.#note(fault);
    const process = this.#options.processOf(fault.process);
    if (process === undefined) return;
    if (fault.kind === 'clock') process.shiftClock(fault.byMs);
    if (fault.kind === 'pause') this.#last(fault.forMs, () => {});
    if (fault.kind === 'webhook') {
      process.link.webhook(fault.resource, 'down');
      this.#last(fault.forMs, () => process.link.webhook(fault.resource, 'up'));
    }
    if (fault.kind !== 'partition') return;
    process.link.partitioned = true;
    process.link.hold();
    this.#last(fault.forMs, () => {
      process.link.partitioned = false;
      process.link.cut(undefined, false);
      process.link.release();
    });
  }

  /** Ends what waits for a change that may not come. Returns whether there was something. */
  releaseAll(): boolean {
    let released = false;
    for (const armed of this.#armed) {
      if (armed.state !== 'holds' || armed.fault.kind !== 'hide') continue;
      this.#release(armed, armed.fault);
      released = true;
    }
    return released;
  }

  #look(armed: ArmedFault, change: Change): void {
    const { fault, at, other } = armed;
    if (fault.kind === 'stale' && other?.counts(change) === true) {
      const { revision } = change;
      armed.view = fault.side === 'after' ? revision : (BigInt(revision) - 1n).toString();
    }
    // Counted from the start of the workload, as all changes are.
    const isOver = fault.kind === 'hide' && other?.reaches(change) === true;
    if (armed.state === 'holds') {
      if (isOver) this.#release(armed, fault);
      return;
    }
    if (at.counts(change)) this.#begin(armed);
  }

  #begin(armed: ArmedFault): void {
    const { fault, view } = armed;
    const process = this.#options.processOf(fault.process);
    armed.state = 'over';
    if (process === undefined) return;
    if (fault.kind === 'stale') {
      if (view === undefined) return;
      this.#note(fault);
      process.crash(`to start again with the caches of revision ${view}`, { revision: view });
      this.#last(fault.forMs, () => {
        process.link.stale = undefined;
        process.link.release();
      });
      return;
    }
    this.#note(fault);
    if (fault.kind === 'reorder') {
      process.crash('to start again with lists in reverse order');
      process.link.reversesLists = true;
      return;
    }
    if (fault.kind === 'cut') {
      process.link.cut(fault.at.resource, fault.compacted);
      return;
    }
    armed.state = 'holds';
    process.link.hold(fault.at.resource);
    // A controller that asks again and again is never idle, and waits perhaps for just this change.
    this.#options.runtime.setTimer(LONGEST_HIDDEN_MS, () => {
      if (armed.state === 'holds') this.#release(armed, fault);
    });
  }

  #release(armed: ArmedFault, fault: Extract<PlannedFault, { readonly kind: 'hide' }>): void {
    const { processOf, onBusy, journal } = this.#options;
    armed.state = 'over';
    onBusy();
    const link = processOf(fault.process)?.link;
    journal.add(fault.process, 'fault', `sees ${fault.at.resource} again`);
    if (fault.mode === 'missed') link?.cut(fault.at.resource, true);
    link?.release(fault.at.resource);
  }

  #last(forMs: number, end: () => void): void {
    this.#lasting += 1;
    this.#options.runtime.setTimer(forMs, () => {
      this.#lasting -= 1;
      this.#options.onBusy();
      end();
    });
  }

  #note(fault: PlannedFault): void {
    this.struck.add(fault);
    this.#options.onBusy();
    this.#options.journal.add(fault.process, 'fault', faultText(fault));
  }
}

function otherPoint(fault: ChangeFault): Counter | undefined {
  if (fault.kind === 'hide') return new Counter(fault.until);
  return fault.kind === 'stale' ? new Counter(fault.view) : undefined;
}
