import type { Runtime } from '../../kernel/time/runtime.ts';
import type { OptionTable } from '../arguments/parse-arguments.ts';

/** A stream that a command writes to. */
export interface Output {
  write(text: string): void;
  /** Whether a person reads it: colours and lines that are replaced are for terminals only. */
  readonly isTerminal: boolean;
}

/** All that a command has of the process in which it runs. */
export interface CommandHost {
  readonly stdout: Output;
  readonly stderr: Output;
  /** The bytes of standard input, to be read once. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The directory that contains `.kube/config`. */
  readonly homeDir: string;
  readonly runtime: Runtime;
  /** The words that start this program from any directory, before the name of a command. */
  readonly program: readonly string[];
  /** Sends a signal to a group of processes; false when there is no such group, and on Windows, which has none. */
  readonly signalGroup: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => boolean;
  /** Aborts when the user interrupts the command. */
  readonly signal: AbortSignal;
  /** The version of the package. */
  readonly version: string;
}

/** A command of `listwatch`, loaded when it is used. */
export interface Command {
  /** The text of `listwatch help NAME`. */
  readonly help: string;
  /** Its options, for completion; empty where other programs call it. */
  readonly options: OptionTable;
  /** The words that it takes, where there are only some. */
  readonly words?: readonly string[] | undefined;
  /** Resolves to the exit code. @throws {UsageError} for arguments that cannot be used. */
  run(parameters: readonly string[], host: CommandHost): Promise<number>;
}

/** A row of the table of commands. */
export interface CommandRow {
  readonly name: string;
  /** One line for the help. */
  readonly summary: string;
  load(): Promise<Command>;
}

/** The exit codes of all commands. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;
