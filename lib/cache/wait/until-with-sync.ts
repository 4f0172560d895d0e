import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { boundedWait, holds } from '../../kernel/time/bounded-wait.ts';
import type { KubernetesObject } from '../../meta/object.ts';
import type { InformerChange } from '../informer/changes/changes-options.ts';
import { changesOf } from '../informer/changes/change-reader.ts';
import type { StoreReader } from '../store/store-reader.ts';
import {
  ConditionSequence,
  type EventCondition,
  untilEvent,
  type UntilOptions,
} from './until-event.ts';
import type { WaitableCache } from './until-cached.ts';

export interface UntilWithSyncOptions<T extends KubernetesObject> extends UntilOptions {
  /** Called once, with the whole first list. If it returns true, the wait ends at once. @defaultValue none */
  readonly precondition?: ((cache: StoreReader<T>) => boolean | undefined) | undefined;
  /** Called with the existing objects, as additions, and then with every change, one condition after the other. */
  readonly conditions:
    | EventCondition<InformerChange<T>>
    | readonly EventCondition<InformerChange<T>>[];
}

const OPTIONS = optionsOf<UntilWithSyncOptions<KubernetesObject>>()('untilWithSync', {
  precondition: is.callback(),
  conditions: is.anything().required,
  timeoutMs: is.number({ min: 0 }),
  signal: is.abortSignal(),
});

/**
 * Waits for conditions on the changes of an informer, in their order, and resolves with the change that satisfied the last one,
 * or with undefined when the precondition is true. For a state of one object, `until` over the informer is simpler.
 *
 * @throws {ListwatchError} code TIMEOUT naming the condition; WATCH_CLOSED when the informer stops first; CLOSED when it has
 * stopped, or stops before it is synced; NOT_STARTED when it has not been started by the next task; INVALID_OPTION; what a
 * condition throws; the signal's reason when aborted.
 * @see client-go tools/watch/until.go UntilWithSync @ 32ce75a7
 */
export async function untilWithSync<T extends KubernetesObject>(
  informer: WaitableCache<T>,
  options: UntilWithSyncOptions<T>,
): Promise<InformerChange<T> | undefined> {
  OPTIONS.read<UntilWithSyncOptions<T>>(options);
  const sequence = new ConditionSequence('untilWithSync', options.conditions);
  const name = `the stream of changes of ${informer.name}`;
  const describe = (): string => informer.waitingFor ?? `${name}: ${sequence.describe()}`;
  const bounds = { timeoutMs: options.timeoutMs, signal: options.signal, describe };
  return await boundedWait(informer.runtime, bounds, (signal) =>
    wait(informer, options.precondition, sequence, { signal, name }),
  );
}

async function wait<T extends KubernetesObject>(
  informer: WaitableCache<T>,
  precondition: UntilWithSyncOptions<T>['precondition'],
  conditions: ConditionSequence<InformerChange<T>>,
  options: { readonly signal: AbortSignal; readonly name: string },
): Promise<InformerChange<T> | undefined> {
  const synced = informer.whenSynced({ signal: options.signal });
  if (precondition !== undefined) {
    await synced;
    if (holds(precondition, informer.indexer)) return undefined;
  }
  const { runtime } = informer;
  const changes = changesOf(informer, { name: 'until' });
  const change = untilEvent(changes, conditions, { ...options, runtime });
  // The stream has no changes while the informer has not been started.
  return await Promise.race([change, synced.then(() => change)]);
}
