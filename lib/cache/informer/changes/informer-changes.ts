import type { KubernetesObject } from '../../../meta/object.ts';
import { ChangeReader, type ChangeSource } from './change-reader.ts';
import { resolveChangesOptions, type ChangesOptions } from './changes-options.ts';
import type { ChangeOf, ChangeView } from './informer-change.ts';

/**
 * An informer as a stream: the existing objects as initial additions, and then every change. Each loop over it is a reader of
 * its own.
 *
 * Guarantees:
 * - A reader gets every object that exists when its loop begins, and every later change, in order; leaving the loop
 *   unregisters it.
 * - A slow reader, or one that stops reading, only takes memory: for `maxBuffered` changes, or for four changes for each object,
 *   if that is more.
 * - The loop ends when the informer stops, after the changes buffered by then.
 * - A reader does not block the event loop for long, even with many changes.
 *
 * Not guaranteed: every state of an object; see `overflow`.
 * @throws {ListwatchError} code INVALID_OPTION; when a loop begins, CLOSED once the informer has stopped.
 */
export function changesOf<
  T extends KubernetesObject,
  View extends ChangeView = 'object',
  Mark extends boolean = false,
>(
  informer: ChangeSource<T>,
  options: ChangesOptions<View, Mark> = {},
): AsyncIterable<ChangeOf<T, View, Mark>> {
  const resolved = resolveChangesOptions(options);
  return {
    [Symbol.asyncIterator]: (): AsyncIterator<ChangeOf<T, View, Mark>, undefined> =>
      // The options determine the types of the changes.
      new ChangeReader<T>(informer, resolved) as AsyncIterator<
        ChangeOf<T, ChangeView, boolean>,
        undefined
      > as AsyncIterator<ChangeOf<T, View, Mark>, undefined>,
  };
}
