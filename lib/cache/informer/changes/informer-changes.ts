import type { KubernetesObject } from '../../../meta/object.ts';
import { ChangeReader, type ChangeSource } from './change-reader.ts';
import { resolveChangesOptions, type ChangesOptions } from './changes-options.ts';
import type { ChangeOf, ChangeView } from './informer-change.ts';

/**
 * An informer as a stream: what is there, as initial additions, and then every change. Each loop over it is a reader of its own.
 *
 * Guarantees:
 * - A reader sees every object that is there when its loop begins, and every change since, in order; leaving the loop
 *   unregisters it.
 * - A reader that is slow, or never comes back, costs the informer and the other readers nothing but the memory of `maxBuffered`
 *   changes, or of four for each object, if that is more.
 * - The loop ends when the informer stops, after what was read in by then.
 * - A reader does not hold the event loop for long, however much there is to read.
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
      // Which changes there are follows from the options.
      new ChangeReader<T>(informer, resolved) as AsyncIterator<
        ChangeOf<T, ChangeView, boolean>,
        undefined
      > as AsyncIterator<ChangeOf<T, View, Mark>, undefined>,
  };
}
