import { parseArgs, type ParseArgsConfig } from 'node:util';
import { connect, type Client } from 'listwatch';
import { startCluster } from 'listwatch/cluster';
import { errorMessage, realRuntime, silentLogger, sleep } from 'listwatch/kernel';
import { ApiServer } from 'listwatch/server';

/** Shared by the examples: the command line, the cluster or the server in the process, and the exit code. */

type OptionDefinitions = NonNullable<ParseArgsConfig['options']>;

const COMMON = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  debug: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

const COMMON_HELP = `  --kubeconfig FILE   the cluster to use
  --context NAME      in the kubeconfig; default: its current one
  --debug             show the stack trace of a failure
  --help              show this`;

type Values<O extends OptionDefinitions> = ReturnType<
  typeof parseArgs<{ options: O & typeof COMMON }>
>['values'];

export interface Program<O extends OptionDefinitions> {
  /** The prefix of the line that reports a failure. */
  readonly name: string;
  /** The text of `--help`: what the program does, and its own options. */
  readonly about: string;
  readonly options: O;
  /** `signal` aborts on Ctrl-C; a program that ends well after that has stopped cleanly. */
  readonly main: (values: Values<O>, signal: AbortSignal) => Promise<void>;
}

/** The error of wrong arguments. */
export class UsageError extends Error {}

/** Exit codes as shells know them. */
const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = { SIGINT: 130, SIGTERM: 143 } as const;

/** Runs a program and sets the exit code. A failure or an interruption prints one line, with `--debug` also the stack trace. */
export async function runProgram<const O extends OptionDefinitions>(
  program: Program<O>,
): Promise<void> {
  const stop = new AbortController();
  let exitCode = EXIT_FAILURE;
  const interrupt = (signal: keyof typeof EXIT_INTERRUPTED): void => {
    exitCode = EXIT_INTERRUPTED[signal];
    stop.abort(new Error(`stopped by ${signal}`));
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const values = parseOptions(program.options);
    if (process.argv.includes('--help')) console.log(`${program.about}\n${COMMON_HELP}`);
    else await program.main(values, stop.signal);
  } catch (error) {
    // After an interruption the work fails with different errors; the reason of the signal is always the same.
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : error;
    process.exitCode = error instanceof UsageError ? EXIT_USAGE : exitCode;
    const line = errorMessage(reason).replaceAll(/[\p{Cc}\s]+/gu, ' ');
    process.stderr.write(`${program.name}: ${line}\n`);
    if (process.argv.includes('--debug')) console.error(error);
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

function parseOptions<const O extends OptionDefinitions>(options: O): Values<O> {
  try {
    return parseArgs({ options: { ...options, ...COMMON } }).values;
  } catch (error) {
    // The first sentence names the option, the others speak of positional arguments.
    const [sentence = ''] = errorMessage(error).split(/\.(?:\s|$)/);
    throw new UsageError(`${sentence}; --help lists the options`);
  }
}

/** A client, and the server in this process if there is no kubeconfig. */
export interface Cluster<Types extends object> extends AsyncDisposable {
  readonly client: Client<Types>;
  readonly server: ApiServer | undefined;
  /** Whether Deployments are known to get pods that become ready. */
  readonly runsPods: boolean;
}

export interface ClusterOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** The name under which the server keeps what the client applies. */
  readonly fieldManager: string;
  /** The port of a server in this process. */
  readonly port?: number | undefined;
  /** Whether a server in this process has the controllers, the scheduler and a node that make pods run. */
  readonly runsPods?: boolean | undefined;
}

/** Connects to the cluster of a kubeconfig, or to one in this process. */
export async function openCluster<Types extends object = object>({
  kubeconfig,
  context,
  fieldManager,
  port,
  runsPods = false,
}: ClusterOptions): Promise<Cluster<Types>> {
  const isInProcess = kubeconfig === undefined && context === undefined;
  const pods = isInProcess && runsPods ? await startPods() : undefined;
  const server = pods?.server ?? (isInProcess ? new ApiServer() : undefined);
  const close = async (): Promise<void> => await (pods ?? server)?.close();
  try {
    await server?.listen({ port });
    const address = server?.clientConfig() ?? { kubeconfig, context };
    const client = await connect<Types>({ ...address, fieldManager });
    return {
      client,
      server,
      runsPods: pods !== undefined,
      async [Symbol.asyncDispose](): Promise<void> {
        await client.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A person waits for these pods, so they start at once. A program that breaks connections prints what follows itself. */
async function startPods() {
  return await startCluster({
    controllers: 'workloads',
    containers: [{ startsAfterMs: 0, pullsAfterMs: 0 }],
    logger: silentLogger,
  });
}

/** The limit of each wait. Only a program that hangs reaches it, on a machine under any load. */
export const HANG_MS = 300_000;
const POLL_MS = 10;

/** Resolves once `condition` holds; `what` names it in the error. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const deadlineMs = performance.now() + HANG_MS;
  while (!(await condition())) {
    if (performance.now() > deadlineMs) {
      throw new Error(`gave up after ${HANG_MS / 1000} s waiting for ${what}`);
    }
    await sleep(realRuntime, POLL_MS, { signal });
  }
}
