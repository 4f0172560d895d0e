import type { ControllerInspection } from '../../controller/builder/controller-inspection.ts';
import type { ReconcileRecord } from '../../controller/builder/run/reconcile-history.ts';

type ReconcileReason = ReconcileRecord['reasons'][number];

/** A run of a controller that is shown. */
export interface KnownRun {
  readonly controller: string;
  readonly run: ReconcileRecord;
}

/** One step of a chain: a run, and the reason that made it run. */
export interface CausedRun extends KnownRun {
  readonly reason: ReconcileReason | undefined;
}

/** A write can lead back to the run that it caused. */
const LONGEST_CHAIN = 8;

/** Which run wrote the change that caused another run, as far as the runs are remembered. */
export class CauseLinks {
  /** By controller and key, the oldest first. */
  readonly #runs = new Map<string, KnownRun[]>();
  /** The runs with a cause, by the controller and the key of the run that wrote it. */
  readonly #caused = new Map<string, KnownRun[]>();

  constructor(controllers: readonly Pick<ControllerInspection, 'name' | 'history'>[]) {
    for (const { name: controller, history } of controllers) {
      for (const run of history) {
        add(this.#runs, nameOf({ controller, key: run.key }), { controller, run });
        for (const { causedBy } of run.reasons) {
          if (causedBy !== undefined) add(this.#caused, nameOf(causedBy), { controller, run });
        }
      }
    }
  }

  /** The run that wrote the change which is a reason of this run: the last one of its key before it. */
  writerOf({ causedBy }: ReconcileReason, of: ReconcileRecord): KnownRun | undefined {
    if (causedBy === undefined) return undefined;
    const runs = this.#runs.get(nameOf(causedBy)) ?? [];
    return runs.findLast(({ run }) => run !== of && run.startedAtMs <= of.startedAtMs);
  }

  /** The runs that this run has caused by what it wrote. */
  causedBy({ controller, run: { key, startedAtMs } }: KnownRun): readonly KnownRun[] {
    const name = nameOf({ controller, key });
    const next = this.#runs.get(name)?.find(({ run }) => run.startedAtMs > startedAtMs);
    const endsAtMs = next?.run.startedAtMs ?? Infinity;
    const all = this.#caused.get(name) ?? [];
    return all.filter(({ run }) => run.startedAtMs >= startedAtMs && run.startedAtMs < endsAtMs);
  }

  /** From the first run that is known to the given one. */
  chainTo(last: KnownRun): readonly CausedRun[] {
    const chain: CausedRun[] = [];
    let next: KnownRun | undefined = last;
    while (next !== undefined && chain.length < LONGEST_CHAIN) {
      const { controller, run }: KnownRun = next;
      const written: ReconcileReason | undefined = run.reasons.find(
        (one) => one.causedBy !== undefined,
      );
      chain.unshift({ controller, run, reason: written ?? run.reasons[0] });
      next = written && this.writerOf(written, run);
      if (chain.some((one) => one.run === next?.run)) break;
    }
    return chain;
  }
}

function nameOf({
  controller,
  key,
}: {
  readonly controller: string;
  readonly key: string;
}): string {
  return `${controller} ${key}`;
}

function add(map: Map<string, KnownRun[]>, name: string, run: KnownRun): void {
  const present = map.get(name);
  if (present === undefined) map.set(name, [run]);
  else present.push(run);
}
