import type { ChildProcess } from 'node:child_process';
import { errorCodes, ListwatchError, type ErrorCode } from '../kernel/failure/errors.ts';
import { onAbort } from '../kernel/time/abort.ts';
import type { SimulationPlan } from './contract/fault.ts';
import type { Finding } from './contract/finding.ts';
import {
  MODULE_SIMULATION,
  OVERRIDES,
  type ModuleSimulationOptions,
} from './contract/module-simulation-options.ts';
import { SIMULATOR_VERSION } from './contract/simulator-version.ts';
import type { SimulationFailure, SimulationReport } from './contract/simulation-report.ts';
import { htmlTimeline } from './explain/html-timeline.ts';
import { reproduction } from './explain/reproduction.ts';
import { causeOf } from './contract/cause.ts';
import { story } from './explain/story.ts';
import { startProcess } from './isolation/guarded-process.ts';
import type { HostArgument, HostMessage, PlainReport } from './isolation/host-messages.ts';
import type { IsolationSettings } from './isolation/isolation-settings.ts';
import { endFinding, type ProcessEnd } from './isolation/process-end.ts';
import { SimulationError } from './simulation-error.ts';
import { pathToFileURL } from 'node:url';

const OWNER = 'simulateModule';

/**
 * Does what `simulate` does with the options that a module exports, in a process of its own. There `Date`, timers, random numbers and
 * `process.exit` are those of the simulation, wherever the controllers and their packages take them from, so that controllers need not use the
 * `runtime` they are given.
 *
 * Calls that cannot be simulated are reported with file and line: sockets, asynchronous files, other processes and threads (`escape`), timers that a
 * stopped process has left (`leaked-timer`), code that never ends (`blocked`), memory that grows without a bound (`memory`).
 *
 * Not simulated: synchronous files, `process.memoryUsage`, `WeakRef`, and what native add-ons do.
 * @throws {SimulationError} code SIMULATION_FAILED, as `simulate`. {ListwatchError} code INVALID_OPTION: an option; a module that throws, with
 * file and line; PROGRAM_FAILED: the process has ended without a report.
 *
 * @example
 * it('survives faults', async () => {
 *   await simulateModule({ module: new URL('./shops.simulation.ts', import.meta.url) });
 * });
 * @experimental
 */
export async function simulateModule(options: ModuleSimulationOptions): Promise<SimulationReport> {
  const argument = hostArgument(options);
  const plain = await hosted(argument, options);
  const failures = plain.failures.map(
    (failure): SimulationFailure => ({
      ...failure,
      reproduction: (optionsModule) => reproduction({ ...failure, optionsModule, runner: OWNER }),
    }),
  );
  const report = { ...plain, failures };
  if (!report.ok && options.onFailure !== 'return') throw new SimulationError(report);
  return report;
}

function hostArgument(options: ModuleSimulationOptions): HostArgument {
  const { module, modules, blockedMs, heapMb, processes } = MODULE_SIMULATION.read(options);
  const settings: IsolationSettings = { module: moduleUrl(module), modules, blockedMs, heapMb };
  const given = OVERRIDES.filter((name) => options[name] !== undefined);
  return {
    settings,
    overrides: Object.fromEntries(given.map((name) => [name, options[name]])),
    processes,
  };
}

/** Starts the host, and waits for its report. */
function hosted(
  argument: HostArgument,
  { onProgress, signal }: ModuleSimulationOptions,
): Promise<PlainReport> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let plan: SimulationPlan | undefined;
    let child: ChildProcess | undefined;
    const stop = onAbort(signal, () => {
      settle();
      reject(signal?.reason as Error);
    });
    const settle = (): void => {
      stop();
      child?.kill('SIGKILL');
    };
    const take = (message: HostMessage): void => {
      if (message.kind === 'plan') ({ plan } = message);
      else if (message.kind === 'progress') onProgress?.(message.line);
      else if (message.kind === 'report') {
        settle();
        resolve(message.report);
      } else {
        settle();
        reject(new ListwatchError(codeOf(message.code), message.message));
      }
    };
    const gone = (reason: string, end: ProcessEnd | undefined): void => {
      settle();
      if (end === undefined) {
        const text = `the process of the simulation failed: ${reason}`;
        reject(new ListwatchError('PROGRAM_FAILED', text));
      } else if (plan === undefined) {
        reject(new ListwatchError('INVALID_OPTION', notLoaded(argument.settings, end)));
      } else {
        const report = reportOfEnd(plan, endFinding(end, argument.settings));
        onProgress?.(report.summary);
        resolve(report);
      }
    };
    child = startProcess(
      {
        program: 'host/host-program',
        argument: JSON.stringify(argument),
        settings: argument.settings,
        prints: true,
      },
      { message: (message) => take(message as HostMessage), gone },
    );
  });
}

function notLoaded(settings: IsolationSettings, end: ProcessEnd): string {
  return `${settings.module} cannot be imported: ${endFinding(end, settings).message}`;
}

function codeOf(code: string | undefined): ErrorCode {
  return code !== undefined && Object.hasOwn(errorCodes, code)
    ? (code as ErrorCode)
    : 'PROGRAM_FAILED';
}

/** The report of a host that had to be ended during a run. */
function reportOfEnd(plan: SimulationPlan, finding: Finding): PlainReport {
  const explained = {
    plan: { ...plan, version: SIMULATOR_VERSION },
    findings: [finding],
    lines: [],
    steps: [],
  };
  return {
    ok: false,
    failures: [
      {
        plan,
        foundWith: plan,
        findings: [finding],
        runsToFind: 0,
        cause: causeOf(finding),
        runs: 1,
        story: story(explained),
        html: htmlTimeline(explained),
        trace: '',
      },
    ],
    plans: { [plan.origin]: { planned: 1, run: 1, failed: 1 } },
    notes: [],
    runs: 1,
    elapsedMs: 0,
    searchMs: 0,
    virtualMs: 0,
    complete: false,
    summary: `1 found: ${finding.class}: ${finding.message}`,
  };
}

/** The URL of a module that is given as a URL, as its text, or as a path. */
function moduleUrl(module: string | URL): string {
  const text = String(module);
  return /^[a-z][a-z+.-]+:/.test(text) ? text : pathToFileURL(text).href;
}
