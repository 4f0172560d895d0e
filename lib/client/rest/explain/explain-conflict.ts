import { plainText } from '../../../kernel/text/plain-text.ts';
import type { ApiError } from '../../../meta/failure/api-error.ts';
import type { ApiCall } from '../../../meta/api-call.ts';
import type { Explanation } from './explanation.ts';
import type { RefusedAnswer } from './refused-answer.ts';

/** Most broken fields that a message names; the error has all of them in `causes`. */
const MOST_CAUSES = 3;
const LONGEST_CAUSES = 240;

/** HTTP 409: the object changed, or another one has its name. */
export function explainConflict({ words }: RefusedAnswer): Explanation {
  if (words.includes('Precondition failed')) {
    const problem = plainText(words.slice(words.indexOf('Precondition failed')), 160);
    return { problem, remedy: 'read the object again: another one has its name, or it changed' };
  }
  if (words.includes('the object has been modified')) {
    return {
      problem: 'the object has changed since it was read',
      remedy: 'read it again, and apply the change to what is there now',
    };
  }
  return {
    problem: words,
    remedy: 'read the object again, and repeat the change if it still applies',
  };
}

/** HTTP 409: other managers have fields that an apply would change. */
export function explainApplyConflict(
  _answer: RefusedAnswer,
  _call: ApiCall | undefined,
  { conflicts }: Pick<ApiError, 'conflicts'>,
): Explanation {
  const longest = Math.floor(LONGEST_CAUSES / Math.min(conflicts.length, MOST_CAUSES));
  const fields = conflicts
    .slice(0, MOST_CAUSES)
    .map(({ field, manager }) => plainText(`${field} (by "${manager}")`, longest));
  const more = conflicts.length - fields.length;
  const rest = more > 0 ? `, and ${more} more` : '';
  return {
    problem: `other managers have fields of it with other values: ${fields.join(', ')}${rest}`,
    remedy: 'leave the fields out, or take them over with option "force"',
  };
}

/** HTTP 409: the name is taken. */
export function explainAlreadyExists(_: RefusedAnswer, call: ApiCall | undefined): Explanation {
  const name = call?.name === undefined ? 'generateName' : 'another name';
  return { problem: 'it exists already', remedy: `update or patch it, or use ${name}` };
}

/** HTTP 422: the fields that break a rule. */
export function explainInvalid(
  { words }: RefusedAnswer,
  call: ApiCall | undefined,
  { causes }: Pick<ApiError, 'causes'>,
): Explanation {
  if (causes.length === 0) {
    return call?.verb === 'patch'
      ? {
          problem: 'the patch cannot be applied to the object',
          remedy: 'read the object, and check the paths and tests of the patch',
        }
      : { problem: words, remedy: 'correct the object as the server says' };
  }
  const longest = Math.floor(LONGEST_CAUSES / Math.min(causes.length, MOST_CAUSES));
  const fields = causes
    .slice(0, MOST_CAUSES)
    .map(({ field = '', message = '' }) =>
      plainText(field === '' ? message : `${field}: ${message}`, longest),
    );
  const more = causes.length - fields.length;
  const rest = more > 0 ? `, and ${more} more` : '';
  return {
    problem: fields.join(', ') + rest,
    remedy: causes.length === 1 ? 'correct this field' : 'correct these fields',
  };
}
