import { expect } from 'chai';
import { doctorCommand } from '../../../lib/cli/doctor/doctor-command.ts';
import type { Network } from '../../../lib/cli/doctor/contract/network.ts';
import type { ReportDocument, ReportStep } from '../../../lib/cli/doctor/report-lines.ts';
import type { CommandHost } from '../../../lib/cli/contract/command.ts';
import { within } from '../../support/until.ts';
import { capturedHost } from './captured-host.ts';

export interface Examined {
  readonly code: number;
  readonly document: ReportDocument;
  readonly text: string;
  /** Ids of the steps with this status. */
  ids(status: ReportStep['status']): string[];
  step(id: string): ReportStep;
}

/** Runs `listwatch doctor --json` and reads its document. */
export async function examine(
  parameters: readonly string[],
  { network, ...host }: Partial<CommandHost> & { readonly network?: Network } = {},
): Promise<Examined> {
  const captured = capturedHost(host);
  const run = doctorCommand(network).run([...parameters, '--json'], captured);
  const code = await within(run, 'listwatch doctor');
  const { text } = captured.stdout;
  const document = JSON.parse(text) as ReportDocument;
  for (const step of document.steps) checkReported(step);
  return {
    code,
    document,
    text,
    ids: (status) => document.steps.filter((step) => step.status === status).map(({ id }) => id),
    step(id) {
      const found = document.steps.find((step) => step.id === id);
      if (found === undefined) throw new Error(`no step ${id} in ${text}`);
      return found;
    },
  };
}

/** Each step has one line of detail; each failure and each warning has one remedy of one line. */
function checkReported({ id, status, detail, remedy }: ReportStep): void {
  expect(detail, id).to.match(/^.+$/);
  if (status === 'failed' || status === 'warning') expect(remedy, id).to.match(/^.+$/);
  else expect(remedy, id).to.equal(undefined);
}
