import { onAbort } from '../../kernel/time/abort.ts';
import { errorMessage, isListwatchError } from '../../kernel/failure/errors.ts';
import { deferred } from '../../kernel/time/latch.ts';
import { isUsageError } from '../arguments/usage-error.ts';
import { EXIT, type Command, type CommandHost } from '../contract/command.ts';
import { shownText } from '../terminal/shown-text.ts';
import { readyLine } from './ready-line.ts';
import { readServeOptions, SERVE_HELP, SERVE_OPTIONS, type ServeOptions } from './serve-options.ts';
import { ServerRun } from './server-run.ts';

export function serveCommand(): Command {
  return {
    help: SERVE_HELP,
    options: SERVE_OPTIONS,
    async run(parameters: readonly string[], host: CommandHost): Promise<number> {
      return await runServer(readServeOptions(parameters), host);
    },
  };
}

/** Messages of the server name files and objects, which may be long. */
const LONGEST_MESSAGE = 2000;

/** Serves until the host's signal aborts. Resolves to the exit code. @throws {UsageError} */
export async function runServer(options: ServeOptions, host: CommandHost): Promise<number> {
  const run = new ServerRun(options, host);
  let ready = false;
  try {
    const report = await run.start();
    if (!host.signal.aborted) {
      ready = true;
      host.stdout.write(readyLine(report, options.json));
      await run.finishStart();
      await aborted(host.signal);
    }
    await run.close();
    return ready ? EXIT.ok : EXIT.interrupted;
  } catch (error) {
    if (isUsageError(error)) throw error;
    if (!ready && host.signal.aborted && error === host.signal.reason) return EXIT.interrupted;
    const code = isListwatchError(error) ? ` (${error.code})` : '';
    host.stderr.write(`listwatch: ${shownText(errorMessage(error), LONGEST_MESSAGE)}${code}\n`);
    return EXIT.failed;
  } finally {
    await run.release();
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  const stopped = deferred<void>();
  onAbort(signal, () => {
    stopped.resolve();
  });
  await stopped.promise;
}
