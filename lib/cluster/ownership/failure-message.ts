import { errorMessage } from '../../kernel/failure/errors.ts';
import { isApiError } from '../../meta/failure/failures.ts';

/** A failure in the words of the server, as conditions and events have it. */
export function failureMessage(error: unknown): string {
  return isApiError(error) ? (error.status.message ?? error.message) : errorMessage(error);
}

/** Whether the server refuses all new objects of a namespace, because it is being deleted. */
export function isNamespaceEnding(error: unknown): boolean {
  return isApiError(error) && error.causes.some(({ reason }) => reason === 'NamespaceTerminating');
}
