import { ListwatchError } from '../../kernel/failure/errors.ts';
import { seededRandom } from '../../kernel/time/random.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import type { Finding } from '../contract/finding.ts';
import { currentScope, type AmbientScope } from './ambient-scope.ts';
import { LoadingClock } from './loading-clock.ts';
import { callPlace, directCaller, stackAbove, stackHere } from './user-place.ts';

/** A timer that was started with `setTimeout` and the like, or with a runtime. */
export interface StartedTimer {
  /** As the code wrote it: `setInterval`. */
  readonly what: string;
  /** The stack of its start, where it is kept. */
  readonly stack: string | undefined;
  /** It keeps a process from ending. */
  hasRef(): boolean;
}

/** Where the code that runs gets its time and its random numbers. */
export interface AmbientSource {
  readonly runtime: Runtime;
  readonly random: () => number;
  /** Timers that wait. */
  readonly timers: Set<StartedTimer>;
  /** Ends the process of the code; undefined where there is none. */
  readonly exit: ((reason: string) => void) | undefined;
}

/** One escape is reported once; this bounds what a run can report. */
const MOST_FINDINGS = 100;

/** The sources that replace those of the machine in one run, and the calls that cannot be simulated. */
export class AmbientRun {
  readonly #seed: string;
  readonly #runtime: Runtime;
  readonly #scopes = new Map<AmbientScope | undefined, AmbientSource>();
  readonly #findings = new Map<string, Finding>();
  /** Whether each timer keeps the stack of its start. */
  readonly keepsStacks: boolean;

  constructor(runtime: Runtime, seed: string, keepsStacks: boolean) {
    this.#runtime = runtime;
    this.#seed = seed;
    this.keepsStacks = keepsStacks;
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  get source(): AmbientSource {
    return this.sourceOf(currentScope());
  }

  /** The sources of a scope; undefined: of the steps of the user and the invariants. */
  sourceOf(scope: AmbientScope | undefined): AmbientSource {
    let source = this.#scopes.get(scope);
    if (source === undefined) {
      // Numbers of its own: code that draws none leaves the run as it is without replacements.
      const random = seededRandom(`ambient ${this.#seed} ${this.#scopes.size}`);
      const runtime = scope ?? this.#runtime;
      source = { runtime, random, timers: new Set(), exit: scope?.exit };
      this.#scopes.set(scope, source);
    }
    return source;
  }

  report(finding: Finding): void {
    const key = `${finding.class} ${finding.subject}`;
    if (this.#findings.size >= MOST_FINDINGS || this.#findings.has(key)) return;
    this.#findings.set(key, finding);
  }

  /** The virtual time, milliseconds. */
  get atMs(): number {
    return this.#runtime.monotonicMs();
  }

  /** Reports timers that processes have left which were asked to stop, and have. */
  reportLeaks(): void {
    for (const [scope, { timers }] of this.#scopes) {
      if (scope?.isStopped !== true) continue;
      for (const timer of timers) if (timer.hasRef()) this.#reportLeak(scope, timer);
    }
  }

  #reportLeak({ name }: AmbientScope, { what, stack = '' }: StartedTimer): void {
    const { place, trail, caller } = callPlace(stack);
    if (caller !== 'user' && caller !== 'dependency') return;
    this.report({
      class: 'leaked-timer',
      subject: `${what} at ${place}`,
      message: `${name} was stopped and has left a timer, which keeps the process from ending: ${what} at ${trail.join(', called from ')}. Clear it when the signal aborts`,
    });
  }
}

interface Installed {
  readonly loading: LoadingClock;
  readonly loadingSource: AmbientSource;
  readonly loadingFindings: Map<string, Finding>;
  run: AmbientRun | undefined;
}

let installed: Installed | undefined;

/** From now on runs have ambient sources. @returns the clock of modules that are being loaded */
export function startAmbient(): LoadingClock {
  const loading = new LoadingClock();
  const random = seededRandom('ambient loading');
  const source = { runtime: loading, random, timers: new Set<StartedTimer>(), exit: undefined };
  installed = { loading, loadingSource: source, loadingFindings: new Map(), run: undefined };
  return loading;
}

/** Begins a run, if ambient sources are replaced in this process. */
export function openAmbientRun(
  runtime: Runtime,
  seed: string,
  { keepsStacks = false }: { readonly keepsStacks?: boolean } = {},
): AmbientRun | undefined {
  if (installed === undefined) return undefined;
  installed.run = new AmbientRun(runtime, seed, keepsStacks);
  return installed.run;
}

export function closeAmbientRun(): void {
  if (installed !== undefined) installed.run = undefined;
}

/** The run that goes on; undefined between runs and while modules are loaded. */
export function currentAmbientRun(): AmbientRun | undefined {
  return installed?.run;
}

/** Whether ambient sources are replaced in this process. */
export function isAmbientSimulated(): boolean {
  return installed !== undefined;
}

/** The sources of the code that runs. */
export function ambientSource(): AmbientSource {
  if (installed === undefined) {
    throw new ListwatchError('ASSERTION', 'the ambient sources are not replaced');
  }
  return installed.run?.source ?? installed.loadingSource;
}

/** Calls of modules during their loading that cannot be simulated; they are found in every run. */
export function loadingFindings(): readonly Finding[] {
  return [...(installed?.loadingFindings.values() ?? [])];
}

/** Modules are loaded: the timers that they have started never fire. */
export function endLoading(): void {
  if (installed === undefined) return;
  const { timers } = installed.loadingSource;
  for (const timer of timers) {
    const { what, stack = '' } = timer;
    const { place, trail, caller } = callPlace(stack);
    // One that keeps no process from ending is harmless: packages clean up with such.
    if (!timer.hasRef() || (caller !== 'user' && caller !== 'dependency')) continue;
    const message = `a module has started this timer while it was loaded, at ${trail.join(', ')}: it belongs to no process and never fires in a run. Start it in run()`;
    reportLoading({ class: 'escape', subject: `${what} at ${place}`, message });
  }
  timers.clear();
}

/** Reports something that was done while modules were loaded. */
export function reportLoading(finding: Finding): void {
  installed?.loadingFindings.set(`${finding.class} ${finding.subject}`, finding);
}

/**
 * Notes a timer that a controller starts with the runtime it is given, where timers are looked at.
 * @returns what to call when it has fired or was cancelled
 */
export function noteRuntimeTimer(
  scope: AmbientScope,
  isBackground: boolean,
): (() => void) | undefined {
  const run = installed?.run;
  if (run === undefined || !run.keepsStacks || isBackground) return undefined;
  const stack = stackAbove(Reflect.get(scope, 'setTimer') as Function);
  if (directCaller(stack) !== 'user') return undefined;
  const { timers } = run.sourceOf(scope);
  const timer: StartedTimer = { what: 'runtime.setTimer', stack, hasRef: () => true };
  timers.add(timer);
  return () => timers.delete(timer);
}

/** The stack for a timer that starts now, if it is kept. */
export function timerStack(): string | undefined {
  const run = currentAmbientRun();
  return run === undefined || run.keepsStacks ? stackHere() : undefined;
}
