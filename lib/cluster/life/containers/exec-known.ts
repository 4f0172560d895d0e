import type { Runtime } from '../../../kernel/time/runtime.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import type { PodExecRequest } from '../../../server/api/pods/container-streams.ts';
import { commandOutcome } from './known-commands.ts';

/** The shell's code for a command that cannot be run. */
const CANNOT_RUN = 126;

/** Does what the command of `kubectl exec` says, if that is known. */
export async function execKnown(
  request: Omit<PodExecRequest, 'stdin' | 'pod' | 'tty' | 'resize'>,
  runtime: Runtime,
): Promise<number> {
  const { command, container, stdout, stderr, signal } = request;
  const end = commandOutcome(command);
  if (end === undefined) {
    await stderr.write(
      `no function answers commands in the container ${container}: give "exec" in option containers\n`,
    );
    return CANNOT_RUN;
  }
  for (const line of end.output) await stdout.write(`${line}\n`);
  await sleep(runtime, end.runsForMs, { signal });
  return end.exitCode;
}
