import { ListwatchError } from '../../../kernel/failure/errors.ts';

/** The error of requests that wait when their transport is closed. */
export function closedError(server: string): ListwatchError {
  return new ListwatchError('CLOSED', `the connection to ${server} was closed by its owner`);
}
