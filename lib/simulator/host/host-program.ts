import { errorMessage, isListwatchError } from '../../kernel/failure/errors.ts';
import { parentProcess } from '../../kernel/time/real-process.ts';
import type { SimulationFailure } from '../contract/simulation-report.ts';
import type { HostArgument, HostMessage, PlainFailure } from '../isolation/host-messages.ts';
import { setUpIsolation } from '../isolation/set-up-isolation.ts';
import { onRunStart } from '../run/run-watchers.ts';
import { simulate } from '../simulate.ts';

// The program of a process in which a simulation runs the controllers of a module.

const { settings, overrides, processes } = JSON.parse(parentProcess.argument) as HostArgument;

function send(message: HostMessage): void {
  parentProcess.send(message);
}

async function host(): Promise<void> {
  onRunStart((plan) => send({ kind: 'plan', plan }));
  const { options, modules, note } = await setUpIsolation(settings);
  if (note !== undefined) send({ kind: 'progress', line: note });
  // Copies of modules are never given back: they are loaded in processes that come and go.
  const hasPool = processes > 1 || modules === 'fresh';
  const report = await simulate({
    ...options,
    ...overrides,
    parallel: hasPool ? { module: settings.module, processes } : undefined,
    onFailure: 'return',
    onProgress: (line) => send({ kind: 'progress', line }),
    signal: undefined,
  });
  const failures = report.failures.map(plainFailure);
  const notes = note === undefined ? report.notes : [note, ...report.notes];
  send({ kind: 'report', report: { ...report, failures, notes } });
}

function plainFailure(failure: SimulationFailure): PlainFailure {
  const { plan, foundWith, findings, runsToFind, cause, runs, story, html, trace } = failure;
  return { plan, foundWith, findings, runsToFind, cause, runs, story, html, trace };
}

// Keeps the process until its parent has its messages.
parentProcess.listen(() => {});
host().catch((error: unknown) => {
  const code = isListwatchError(error) ? error.code : undefined;
  send({ kind: 'error', message: errorMessage(error), code });
});
