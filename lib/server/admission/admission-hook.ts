import { errorMessage, isListwatchError, ListwatchError } from '../../kernel/failure/errors.ts';
import { isApiError } from '../../meta/failure/failures.ts';
import { failure } from '../../meta/failure/api-error.ts';
import type { AdmissionRequest, AdmissionScope } from '../registry/contract/admission.ts';
import type { AdmissionPlugIn } from '../registry/contract/plug-in.ts';

/**
 * Admission by a function in this process, in the place of a webhook: tests need no HTTPS server. It runs before the webhooks.
 */
export interface AdmissionHook {
  /** For refusals. */
  readonly name: string;
  /** Which requests it gets, e.g. `({ resource, operation }) => resource === 'pods' && operation === 'CREATE'`. */
  readonly matches: (scope: AdmissionScope) => boolean;
  /** May change `request.object` or replace it. An error refuses the request. */
  readonly mutate?: ((request: AdmissionRequest) => void | Promise<void>) | undefined;
  /** An error refuses the request: an `ApiError` as it is, another one with 403 and its message. */
  readonly validate?: ((request: AdmissionRequest) => void | Promise<void>) | undefined;
}

/** The plug-in of a hook. @throws {ListwatchError} code INVALID_OPTION. */
export function hookPlugIn(hook: AdmissionHook): AdmissionPlugIn {
  const { name, matches, mutate, validate } = hook;
  if (typeof name !== 'string' || name === '' || typeof matches !== 'function') {
    throw new ListwatchError(
      'INVALID_OPTION',
      'admission: each hook needs a name, and matches, a function that says which requests it gets',
    );
  }
  const run =
    (work: NonNullable<AdmissionHook['validate']>) =>
    async (request: AdmissionRequest): Promise<void> => {
      try {
        await work.call(hook, request);
      } catch (error) {
        throw refusalOf(name, error);
      }
    };
  return {
    name,
    wants: (scope) => matches.call(hook, scope),
    ...(mutate === undefined ? {} : { mutate: run(mutate) }),
    ...(validate === undefined ? {} : { validate: run(validate) }),
  };
}

function refusalOf(name: string, error: unknown): Error {
  if (isApiError(error) || isListwatchError(error)) return error;
  const text = `admission hook ${JSON.stringify(name)} denied the request: ${errorMessage(error)}`;
  return failure('Forbidden', text, { cause: error });
}
