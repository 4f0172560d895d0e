import type { ReconcileReason } from '../../controller/change/reconcile-reasons.ts';
import type { ControllerInspection } from '../../controller/builder/controller-inspection.ts';
import type {
  ReconcileRecord,
  WrittenObject,
} from '../../controller/builder/run/reconcile-history.ts';

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
export class RunCauses {
  readonly #writers = new Map<string, KnownRun>();
  readonly #caused = new Map<string, KnownRun[]>();

  constructor(controllers: readonly Pick<ControllerInspection, 'name' | 'history'>[]) {
    const runs = controllers.flatMap(({ name: controller, history }) =>
      history.map((run): KnownRun => ({ controller, run })),
    );
    // A write that changes nothing answers with the version of an earlier one, so the first writer of a version counts.
    for (const known of runs.toSorted(
      (one, other) => one.run.startedAtMs - other.run.startedAtMs,
    )) {
      for (const written of known.run.wrote) {
        const name = nameOf(written);
        if (name !== undefined && !this.#writers.has(name)) this.#writers.set(name, known);
      }
      for (const reason of known.run.reasons) {
        const name = nameOf(reason);
        if (name === undefined) continue;
        const present = this.#caused.get(name);
        if (present === undefined) this.#caused.set(name, [known]);
        else present.push(known);
      }
    }
  }

  /** The run that wrote the version which is the reason. */
  writerOf(reason: ReconcileReason): KnownRun | undefined {
    const name = nameOf(reason);
    return name === undefined ? undefined : this.#writers.get(name);
  }

  /** The runs that a write of a run has caused. */
  causedBy(written: WrittenObject): readonly KnownRun[] {
    const name = nameOf(written);
    return name === undefined ? [] : (this.#caused.get(name) ?? []);
  }

  /** From the first run that is known to the given one. */
  chainTo(last: KnownRun): readonly CausedRun[] {
    const chain: CausedRun[] = [];
    let next: KnownRun | undefined = last;
    while (next !== undefined && chain.length < LONGEST_CHAIN) {
      const { controller, run }: KnownRun = next;
      const written: ReconcileReason | undefined = run.reasons.find(
        (one) => this.writerOf(one) !== undefined,
      );
      chain.unshift({ controller, run, reason: written ?? run.reasons[0] });
      next = written && this.writerOf(written);
      if (chain.some((one) => one.run === next?.run)) break;
    }
    return chain;
  }
}

function nameOf(of: ReconcileReason | WrittenObject): string | undefined {
  const { resource, object, resourceVersion } = of;
  if (resource === undefined || object === undefined || resourceVersion === undefined) {
    return undefined;
  }
  return `${resource} ${object} ${resourceVersion}`;
}
