import { errorMessage, type ListwatchError } from '../../../../kernel/failure/errors.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import { findProgram, type FoundProgram } from './find-program.ts';
import { secretsOf } from './hide-secrets.ts';
import type { InstallHint } from './install-hint.ts';
import { OutputProblem, type PluginOutput, readPluginOutput } from './plugin-output.ts';
import { MOST_BYTES, type ProgramResult, ProgramRun } from './program-run.ts';
import { StderrLines } from './stderr-lines.ts';
import type { ExecCluster } from './exec-plugin-options.ts';

export interface PluginRunOptions {
  readonly hint: InstallHint;
  /** Its abort stops the program. */
  readonly signal: AbortSignal;
  /** Gets the run of the program as soon as there is one. */
  readonly onStart: (run: ProgramRun) => void;
}

const TIMEOUT_MS = 60_000;
/** A person needs longer, with a browser and a second factor. */
const INTERACTIVE_MS = 300_000;

/**
 * Runs a plug-in once.
 * @throws {ListwatchError} code CREDENTIAL_PLUGIN; the signal's reason when aborted.
 */
export async function runPlugin(
  plugin: ExecPlugin,
  { hint, signal, onStart }: PluginRunOptions,
): Promise<PluginOutput> {
  const interactive = isInteractive(plugin);
  const { env, stdinIsTerminal, signalGroup } = plugin.environment;
  const program = await findProgram(plugin.command, { env, directory: plugin.directory });
  if (program.outcome !== 'found') throw notFound(plugin, program, hint);
  signal.throwIfAborted();
  const { args, variables, runtime } = plugin;
  const timeoutMs = plugin.timeoutMs ?? (interactive ? INTERACTIVE_MS : TIMEOUT_MS);
  const stderr = new StderrLines({
    secrets: secretsOf({ args, variables, env }),
    run: () => run,
    onLine: (line) => {
      plugin.logger.warn('an exec plug-in wrote to standard error', { plugin: plugin.label, line });
    },
  });
  const run = new ProgramRun({
    path: program.path,
    args,
    env: {
      ...env,
      ...variables,
      [EXEC_INFO]: execInfo(plugin.apiVersion, interactive, plugin.cluster),
    },
    interactive,
    timeoutMs,
    // The interrupt key of the terminal, which ends this process, has to end the program too.
    signalGroup: stdinIsTerminal === true ? undefined : signalGroup,
    runtime,
    onStderr: (chunk) => {
      stderr.push(chunk);
    },
  });
  onStart(run);
  const result = await run.result;
  stderr.end();
  signal.throwIfAborted();
  if (result.outcome !== 'exited' || result.code !== 0) {
    throw failed(plugin, result, { quote: stderr.quote(), interactive, timeoutMs });
  }
  try {
    return readPluginOutput(run.printed, plugin.apiVersion);
  } catch (error) {
    if (error instanceof OutputProblem) {
      throw plugin.error(error.problem + saying(stderr.quote()), error.remedy);
    }
    throw error;
  }
}

function isInteractive(plugin: ExecPlugin): boolean {
  const { interactiveMode, environment } = plugin;
  const isTerminal = environment.stdinIsTerminal === true;
  if (interactiveMode === 'Always' && !isTerminal) {
    throw plugin.error(
      'needs a terminal (interactiveMode Always), and standard input is none',
      'start the program from a terminal, or set interactiveMode to IfAvailable',
    );
  }
  return isTerminal && interactiveMode !== 'Never';
}

function notFound(
  plugin: ExecPlugin,
  program: Exclude<FoundProgram, { outcome: 'found' }>,
  hint: InstallHint,
): ListwatchError {
  const { path } = program;
  switch (program.outcome) {
    case 'missing': {
      const text = hint.next();
      const install = text === undefined ? 'install it' : `install it: ${text}`;
      return path === undefined
        ? plugin.error('is not installed: no directory of PATH has it', install)
        : plugin.error(`is not installed: there is no file ${path}`, install);
    }
    case 'not-executable':
      return plugin.error(
        `cannot be run: ${path} is not executable by this user`,
        `type chmod +x ${path}`,
      );
    case 'directory':
      return plugin.error(`cannot be run: ${path} is a directory`, 'correct exec.command');
    case 'batch-file':
      return plugin.error(
        `cannot be run: ${path} needs a shell, and plug-ins run without one`,
        'set exec.command to a file that ends with .exe',
      );
  }
}

interface RunFacts {
  /** The last line of the program. */
  readonly quote: string;
  readonly interactive: boolean;
  readonly timeoutMs: number;
}

const IN_TERMINAL = 'run it in a terminal with the arguments of the configuration to see why';

function failed(
  plugin: ExecPlugin,
  result: ProgramResult,
  { quote, interactive, timeoutMs }: RunFacts,
): ListwatchError {
  switch (result.outcome) {
    case 'exited':
      if (result.signal !== null) {
        return plugin.error(
          `was killed by the signal ${result.signal}${saying(quote)}`,
          'look for a memory limit or a service that ends it, or run it in a terminal',
        );
      }
      return plugin.error(
        `failed with exit code ${result.code}${saying(quote)}`,
        interactive && quote === '' ? 'its own message stands above' : IN_TERMINAL,
      );
    case 'timeout':
      return plugin.error(
        `did not end within ${timeoutMs / 1000} s and was stopped${saying(quote)}`,
        interactive
          ? 'answer its questions in time, or raise timeoutMs'
          : 'log in with its tool first: it cannot ask questions here; or check its network',
      );
    case 'flood':
      return plugin.error(
        `wrote more than ${MOST_BYTES} bytes to standard ${result.stream} and was stopped`,
        'check exec.command and exec.args: it must print one ExecCredential and end',
      );
    case 'not-started':
      return notStarted(plugin, result.error);
    case 'stopped':
      return plugin.error('was stopped', 'try again');
  }
}

function notStarted(plugin: ExecPlugin, error: NodeJS.ErrnoException): ListwatchError {
  switch (error.code) {
    case 'ENOENT':
      return plugin.error(
        'cannot be started: its file is there, but not the interpreter of its first line',
        'install that interpreter',
      );
    case 'EACCES':
      return plugin.error(
        'cannot be started: the system does not permit it',
        'check the permissions of the file and of its interpreter, and the mount option noexec',
      );
    case 'E2BIG':
      return plugin.error(
        'cannot be started: its arguments and variables are too large',
        'shorten certificate-authority-data, or leave out provideClusterInfo',
      );
    default:
      return plugin.error(
        `cannot be started: ${error.code ?? errorMessage(error)}`,
        'check that the file is a program of this machine and that the limit of processes is not reached',
      );
  }
}

function saying(quote: string): string {
  return quote === '' ? '' : `, saying "${quote}"`;
}

/** The variable in which a plug-in finds an ExecCredential with its input. */
const EXEC_INFO = 'KUBERNETES_EXEC_INFO';

/**
 * The value of KUBERNETES_EXEC_INFO: an ExecCredential of `apiVersion` with a spec. Fields without a value are left out, but
 * `config` is null, as kubectl does (pkg/apis/clientauthentication/v1/types.go @ 32ce75a7).
 */
export function execInfo(
  apiVersion: string,
  interactive: boolean,
  cluster: ExecCluster | undefined,
): string {
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion,
    spec: { interactive, cluster: cluster === undefined ? undefined : clusterOf(cluster) },
  });
}

function clusterOf(cluster: ExecCluster): Record<string, unknown> {
  const authority = cluster.certificateAuthorityData;
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName || undefined,
    'insecure-skip-tls-verify': cluster.insecureSkipTlsVerify || undefined,
    'certificate-authority-data':
      authority === undefined || authority.length === 0
        ? undefined
        : Buffer.from(authority).toString('base64'),
    'proxy-url': cluster.proxyUrl || undefined,
    'disable-compression': cluster.disableCompression || undefined,
    config: cluster.config ?? null,
  };
}
