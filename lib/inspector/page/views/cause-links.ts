import type { ControllerInspection } from '../../../controller/builder/controller-inspection.ts';
import type { ReconcileRecord } from '../../../controller/builder/run/reconcile-history.ts';

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
        for (const writer of writersOf(run)) add(this.#caused, writer, { controller, run });
      }
    }
  }

  /** The run that wrote the change which is a reason of this run: the last one of its key before it. */
  writerOf({ causedBy }: ReconcileReason, of: KnownRun): KnownRun | undefined {
    if (causedBy === undefined) return undefined;
    const runs = this.#runs.get(nameOf(causedBy)) ?? [];
    return runs.findLast((one) => one.run.startedAtMs <= of.run.startedAtMs && !isSameRun(one, of));
  }

  /** The runs that this run has caused by what it wrote; the next one of its key may be one of them. */
  causedBy(of: KnownRun): readonly KnownRun[] {
    const { key, startedAtMs } = of.run;
    const name = nameOf({ controller: of.controller, key });
    const next = this.#runs.get(name)?.find(({ run }) => run.startedAtMs > startedAtMs)?.run;
    const endsAtMs = next?.startedAtMs ?? Infinity;
    const all = this.#caused.get(name) ?? [];
    return all.filter((one) => {
      const isInTime = one.run.startedAtMs >= startedAtMs && one.run.startedAtMs < endsAtMs;
      return (isInTime || one.run === next) && !isSameRun(one, of);
    });
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
      const writer: KnownRun | undefined = written && this.writerOf(written, next);
      if (writer !== undefined && chain.some((one) => isSameRun(one, writer))) break;
      next = writer;
    }
    return chain;
  }
}

/** The writers of its reasons, each once: a run may write several objects that lead to one key. */
function writersOf({ reasons }: ReconcileRecord): ReadonlySet<string> {
  const writers = reasons.flatMap(({ causedBy }) => causedBy ?? []);
  return new Set(writers.map(nameOf));
}

/** The page reads a run twice, with the state of its controller and with the report of its key. */
function isSameRun(one: KnownRun, other: KnownRun): boolean {
  return (
    one.controller === other.controller &&
    one.run.key === other.run.key &&
    one.run.startedAtMs === other.run.startedAtMs &&
    one.run.durationMs === other.run.durationMs
  );
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
