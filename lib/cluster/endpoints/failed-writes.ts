import { errorMessage } from '../../kernel/failure/errors.ts';
import { isApiError } from '../../meta/failure/failures.ts';

/** Nothing can be created in a namespace that is being deleted, and nothing has to be. */
export function isNamespaceTerminating(error: unknown): boolean {
  return isApiError(error) && error.causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

/** The text of the server, as clients of other languages print it. */
export function serverMessage(error: unknown): string {
  const message = isApiError(error) ? error.status.message : undefined;
  return message ?? errorMessage(error);
}
