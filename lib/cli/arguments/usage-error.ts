import { isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';

/** The command line cannot be used: an unknown name, a missing or a wrong value. The exit code is 2 then. */
export class UsageError extends ListwatchError {
  constructor(message: string) {
    super('INVALID_OPTION', message);
  }
}

/** Also for an error of another copy of the class: a command is loaded by an import of its own. */
export function isUsageError(error: unknown): error is UsageError {
  return isListwatchError(error, 'INVALID_OPTION') && error.name === UsageError.name;
}
