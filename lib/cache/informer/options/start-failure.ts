import { errorMessage, isListwatchError, ListwatchError } from '../../../kernel/failure/errors.ts';
import { explainedError } from '../../../kernel/failure/explained-error.ts';
import { plainCause } from '../../../kernel/text/plain-text.ts';
import type { ResourceName } from '../../../meta/collection-options.ts';
import { isNotFound, type Subject } from '../../../meta/failure/failures.ts';
import { apiVersionOf, groupResource } from '../../../meta/resource.ts';

/** The behaviour of an informer while its resource is not served, for example before its CustomResourceDefinition exists. */
export type MissingResourcePolicy = 'wait' | 'fail';

/** The resource that an informer mirrors, as far as it is known. */
export interface InformerSubject extends Subject {
  readonly version?: string | undefined;
  /** Left out: all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
}

/** Undefined: the version is not known, and perhaps not the resource. */
export function resourceOfSubject({
  group,
  version,
  resource,
}: InformerSubject): ResourceName | undefined {
  return version === undefined
    ? undefined
    : { apiVersion: apiVersionOf({ group, version }), resource };
}

const LONGEST_CAUSE = 200;

/** The error of a resource that the server does not serve; undefined for every other failure of a list or watch. */
export function unknownResource(
  error: unknown,
  subject: InformerSubject,
): ListwatchError | undefined {
  if (!isNotFound(error) && !isListwatchError(error, 'RESOURCE_UNKNOWN')) return undefined;
  const { group, version, resource } = subject;
  const name =
    version === undefined
      ? groupResource(subject)
      : `${resource} of ${apiVersionOf({ group, version })}`;
  const remedy = explainedError(error)?.remedy;
  const problem =
    remedy === undefined
      ? ` (${plainCause(errorMessage(error), LONGEST_CAUSE)}): install the CustomResourceDefinition, or check apiVersion and plural name`
      : `: ${remedy}`;
  const message = `the server does not serve ${name}${problem}`;
  return new ListwatchError('RESOURCE_UNKNOWN', message, { cause: error });
}
