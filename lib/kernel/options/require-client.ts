import { isPromiseLike } from '../failure/guarded-call.ts';
import { invalidOption, shown } from './option-rules.ts';

/**
 * Checks the argument that must be a client. `connect` returns a promise of one, so an `await` that is missing has a message of its own.
 * `method` is one that the owner calls: a client may be of another copy of the package, or stand in for one.
 * @throws {ListwatchError} code INVALID_OPTION.
 */
export function requireClient(owner: string, given: unknown, method: string): void {
  if (isPromiseLike(given)) {
    throw invalidOption(owner, 'the client is a promise; write "await connect()"');
  }
  const isObject = typeof given === 'object' && given !== null;
  if (isObject && typeof Reflect.get(given, method) === 'function') return;
  throw invalidOption(
    owner,
    `the client must be one that "await connect()" gives, not ${shown(given)}`,
  );
}
