import type { ConnectOptions } from '../../../../lib/client/rest/connect.ts';
import type { ErrorCode } from '../../../../lib/kernel/failure/errors.ts';
import type { ScratchDirectory } from '../../support/scratch-directory.ts';

/** The situation of a client. */
export interface Encounter extends AsyncDisposable {
  readonly options: ConnectOptions;
  /** How often the client has come so far: requests, connections or runs, as the other side counted them. */
  readonly attempts: () => number;
}

/** Something between a client and its API server that does not work, over real sockets and processes. */
export interface BadInput {
  readonly name: string;
  readonly code: ErrorCode;
  /** The cause, as the error names it. */
  readonly cause: RegExp;
  /** The command to type, or the file to edit. */
  readonly remedy: RegExp;
  /** The failure takes a time limit of the client, which has to pass quickly. */
  readonly waits?: boolean | undefined;
  open(scratch: ScratchDirectory): Promise<Encounter>;
}

export function encounter(
  options: ConnectOptions,
  attempts: () => number,
  ...close: readonly AsyncDisposable[]
): Encounter {
  return {
    options,
    attempts,
    [Symbol.asyncDispose]: async () => {
      for (const one of close) await one[Symbol.asyncDispose]();
    },
  };
}
