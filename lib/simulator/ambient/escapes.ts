import { ListwatchError } from '../../kernel/failure/errors.ts';
import { currentAmbientRun, isAmbientSimulated, reportLoading } from './ambient-run.ts';
import { currentScope } from './ambient-scope.ts';
import type { Callable } from './replace-property.ts';
import { callPlace, stackHere, type CallPlace } from './user-place.ts';

/** Something real that controllers can reach. */
export interface EscapeRow {
  /** As the report names it: `node:http request`. */
  readonly what: string;
  /** The remedy. */
  readonly remedy: string;
  /** Modules may use it while they are loaded. */
  readonly mayLoad: boolean;
  /** How the call fails: it throws, or its promise rejects; `allowed`: it is reported, and goes on. */
  readonly fails: 'throws' | 'rejects' | 'allowed';
}

/** A function or a class that reports each use of it by a controller, and then fails; this package and Node go on using the real one. */
export function reported(real: Callable, row: EscapeRow): Callable {
  const refusal = (): ListwatchError | undefined => escape(row);
  return new Proxy(real, {
    apply(target, self, given) {
      const error = refusal();
      if (error === undefined) return Reflect.apply(target, self, given);
      if (row.fails === 'rejects') return Promise.reject(error);
      throw error;
    },
    construct(target, given, newTarget) {
      const error = refusal();
      if (error !== undefined) throw error;
      return Reflect.construct(target, given, newTarget) as object;
    },
  });
}

/** Reports a use, if it is one of a controller. @returns why it is refused */
function escape(row: EscapeRow): ListwatchError | undefined {
  if (!isAmbientSimulated()) return undefined;
  const run = currentAmbientRun();
  if (run === undefined && row.mayLoad) return undefined;
  const call = callPlace(stackHere());
  if (row.fails === 'allowed' && call.caller === 'library') return undefined;
  if (isOfTheSimulator(call) || (run === undefined && call.caller !== 'user')) return undefined;
  const { what, remedy } = row;
  const { place, trail } = call;
  const where = trail.length > 1 ? trail.join(', called from ') : place;
  const process = currentScope()?.name;
  const finding = {
    class: 'escape',
    subject: `${what} at ${place}`,
    message: `${process ?? 'the program'} uses ${what} at ${where}. The simulation controls neither what it answers nor when. ${remedy}`,
  } as const;
  if (run === undefined) {
    reportLoading(finding);
    return undefined;
  }
  run.report({ ...finding, atMs: run.atMs });
  if (row.fails === 'allowed') return undefined;
  return new ListwatchError(
    'SIMULATION_ESCAPE',
    `${what} is not simulated, at ${place}. ${remedy}`,
  );
}

/** Whether the call is one that the simulator, Node, or the import of a module needs. */
function isOfTheSimulator({ caller }: CallPlace): boolean {
  if (caller === 'loader' || caller === 'node') return true;
  return caller === 'library' && currentScope() === undefined;
}
