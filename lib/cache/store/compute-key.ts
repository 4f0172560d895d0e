import { errorMessage } from '../../kernel/failure/errors.ts';
import { isStrayPromise } from '../../kernel/failure/guarded-call.ts';
import { KeyError, type KeyFunc } from '../../meta/key.ts';
import type { HasMetadata } from '../../meta/object.ts';

/**
 * Calls a `KeyFunc` of the user and checks the returned key.
 * @throws {KeyError} code KEY when the function throws or does not return a non-empty string.
 */
export function computeKey(keyFunc: KeyFunc, object: HasMetadata): string {
  let key: unknown;
  try {
    key = keyFunc(object);
  } catch (error) {
    if (error instanceof KeyError) throw error;
    throw new KeyError(object, `the KeyFunc threw: ${errorMessage(error)}`, error);
  }
  if (typeof key === 'string' && key !== '') return key;
  const kind = key === '' ? 'an empty string' : typeof key;
  throw new KeyError(object, `the KeyFunc gave back ${isStrayPromise(key) ? 'a promise' : kind}`);
}
