import { ListwatchError } from '../../../../kernel/failure/errors.ts';
import { is, optionsOf, type OptionsSchema } from '../../../../kernel/options/options-schema.ts';
import { CALL, type CallOptions } from '../../request/resource-options.ts';

/** Options of every stream over a WebSocket. */
export interface StreamOptions extends CallOptions {
  /**
   * How long a server may send nothing, not even the answer to a ping, milliseconds; `Infinity` for no limit. Time in which a side does
   * not read does not count. @defaultValue 60 000
   */
  readonly deadPeerMs?: number | undefined;
}

/** Which streams of a container are wanted. */
export interface AttachOptions extends StreamOptions {
  /** @defaultValue the container of a pod that has one, or its default container */
  readonly container?: string | undefined;
  /** Whether the command gets input. Without it `stdin` takes nothing. @defaultValue false */
  readonly stdin?: boolean | undefined;
  /** @defaultValue true */
  readonly stdout?: boolean | undefined;
  /** With a terminal all output is `stdout`. @defaultValue true */
  readonly stderr?: boolean | undefined;
  /** Whether the command runs in a terminal; see `PodProcess.resize`. @defaultValue false */
  readonly tty?: boolean | undefined;
}

export type SpawnOptions = AttachOptions;

/** Text or bytes, whole or in pieces; a stream of Node or of the Web as well. */
export type StdinSource = string | Uint8Array | AsyncIterable<string | Uint8Array>;

export interface ExecOptions extends StreamOptions {
  /** @defaultValue the container of a pod that has one, or its default container */
  readonly container?: string | undefined;
  /** The input of the command, to its end. @defaultValue none */
  readonly stdin?: StdinSource | undefined;
  /** The most bytes of both outputs together; more ends the call with RESPONSE_TOO_LARGE. @defaultValue 16 777 216 (16 MiB) */
  readonly maxOutputBytes?: number | undefined;
}

/** The output of a command, and its end. */
export interface ExecResult {
  /** 0 for success; a program that is missing gives 126 or 127, or an error of the node, as its container runtime decides. */
  readonly exitCode: number;
  /** Read as UTF-8. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface CopyOptions extends StreamOptions {
  /** @defaultValue the container of a pod that has one, or its default container */
  readonly container?: string | undefined;
  /** Links and special files: `fail`, or `skip` and name them in the report. A link is never followed or made. @defaultValue fail */
  readonly links?: 'fail' | 'skip' | undefined;
  /** The most bytes of all files together. @defaultValue 1 073 741 824 (1 GiB) */
  readonly maxBytes?: number | undefined;
  /** The most files and folders, with those that are left out. @defaultValue 100 000 */
  readonly maxFiles?: number | undefined;
}

export const CONNECT: OptionsSchema<StreamOptions, 'deadPeerMs'> = optionsOf<StreamOptions>()(
  'connect',
  { ...CALL, deadPeerMs: is.number({ min: 1 }).default(60_000) },
);
export const EXEC: OptionsSchema<ExecOptions, 'deadPeerMs' | 'maxOutputBytes'> =
  optionsOf<ExecOptions>()('exec', {
    ...CONNECT.rules,
    container: is.text(),
    stdin: is.rule<StdinSource>('a string, bytes, or an async iterable of them', (given) => {
      if (typeof given === 'string' || given instanceof Uint8Array) return true;
      return typeof given === 'object' && given !== null && Symbol.asyncIterator in given;
    }),
    maxOutputBytes: is.integer({ min: 0 }).default(16 * 1024 * 1024),
  });
export const COPY: OptionsSchema<CopyOptions, 'deadPeerMs' | 'links' | 'maxBytes' | 'maxFiles'> =
  optionsOf<CopyOptions>()('copy', {
    ...CONNECT.rules,
    container: is.text(),
    links: is.oneOf('fail', 'skip').default('fail'),
    maxBytes: is.integer({ min: 0 }).default(1024 ** 3),
    maxFiles: is.integer({ min: 1 }).default(100_000),
  });
export const ATTACH: OptionsSchema<
  AttachOptions,
  'deadPeerMs' | 'stdin' | 'stdout' | 'stderr' | 'tty'
> = optionsOf<AttachOptions>()('attach', {
  ...CONNECT.rules,
  container: is.text(),
  stdin: is.flag().default(false),
  stdout: is.flag().default(true),
  stderr: is.flag().default(true),
  tty: is.flag().default(false),
});

/** @throws {ListwatchError} code INVALID_OPTION. */
export function checkCommand(owner: string, command: unknown): void {
  const isList = Array.isArray(command) && command.length > 0;
  if (isList && command.every((word) => typeof word === 'string')) return;
  const problem = 'the command must be an array of strings, the program first';
  throw new ListwatchError('INVALID_OPTION', `${owner}: ${problem}`);
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function checkPort(owner: string, port: unknown, least: 0 | 1 = 1): void {
  if (Number.isInteger(port) && (port as number) >= least && (port as number) <= 65_535) return;
  throw new ListwatchError(
    'INVALID_OPTION',
    `${owner}: a port must be a whole number from ${least} to 65535, not ${String(port).slice(0, 60)}`,
  );
}
