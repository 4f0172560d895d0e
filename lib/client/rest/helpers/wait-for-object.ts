import { is, optionsOf, type OptionsSchema } from '../../../kernel/options/options-schema.ts';
import { Backoff } from '../../../kernel/time/backoff.ts';
import { errorMessage, isListwatchError, type ErrorCode } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { boundedWait, holds } from '../../../kernel/time/bounded-wait.ts';
import { sleep } from '../../../kernel/time/wait.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import { whyHeld } from '../../../meta/held-object.ts';
import type { WatchEvent } from '../../../meta/watch-event.ts';
import {
  CALL,
  type CallOptions,
  type ListOptions,
  type WatchOptions,
} from '../request/resource-options.ts';

export interface ObjectWaitOptions extends CallOptions {
  /** Longest wait in milliseconds. @defaultValue 60 000 */
  readonly timeoutMs?: number | undefined;
}

export const WAIT_OPTIONS: OptionsSchema<ObjectWaitOptions> = optionsOf<ObjectWaitOptions>()(
  'wait',
  {
    ...CALL,
    timeoutMs: is.integer({ min: 0 }),
  },
);

/** The calls that a wait needs of a resource. */
export interface ListsAndWatches<T extends KubernetesObject> {
  list(options: ListOptions): Promise<{
    readonly items: readonly T[];
    readonly resourceVersion?: string | undefined;
  }>;
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

/** The condition of the object; called with undefined when there is none. */
export type WaitCondition<T> = (object: T | undefined) => boolean;

export interface WaitFor<T> {
  readonly name: string;
  readonly is: WaitCondition<T>;
  /** In messages: `deployments.apps "web"`. */
  readonly what: string;
  readonly runtime: Runtime;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DELAY = { baseMs: 100, capMs: 5000 };

/** Failures that waiting does not end. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'NOT_ACCEPTABLE',
  'INVALID_OPTION',
  'CLOSED',
]);

/**
 * Follows one object until it is as wanted: a list, and a watch from there on. When the watch ends or fails, it starts again with a
 * list, after a pause that grows.
 */
export async function waitForObject<T extends KubernetesObject>(
  resource: ListsAndWatches<T>,
  wanted: WaitFor<T>,
  { timeoutMs = DEFAULT_TIMEOUT_MS, namespace, signal }: ObjectWaitOptions,
): Promise<T | undefined> {
  const seen: Seen = { state: 'not read yet', object: undefined };
  const describe = (): string =>
    `${wanted.what} to be as wanted; it is ${seen.state}${keptText(wanted.is, seen.object)}`;
  return await boundedWait(wanted.runtime, { timeoutMs, signal, describe }, (waiting) =>
    follow(resource, wanted, { namespace, signal: waiting }, seen),
  );
}

/** The object as it was seen last, in words, for the message of a wait that fails. */
interface Seen {
  state: string;
  object: KubernetesObject | undefined;
}

async function follow<T extends KubernetesObject>(
  resource: ListsAndWatches<T>,
  { name, is, runtime }: WaitFor<T>,
  options: CallOptions,
  seen: Seen,
): Promise<T | undefined> {
  const fieldSelector = `metadata.name=${name}`;
  const backoff = new Backoff(runtime, DELAY);
  for (;;) {
    try {
      const { items, resourceVersion } = await resource.list({ ...options, fieldSelector });
      note(seen, items[0]);
      if (holds(is, items[0])) return items[0];
      const watch = { ...options, fieldSelector, resourceVersion, allowWatchBookmarks: true };
      for await (const event of resource.watch(watch)) {
        if (event.type === 'BOOKMARK') continue;
        const object = event.type === 'DELETED' ? undefined : event.object;
        note(seen, object);
        if (holds(is, object)) return object;
      }
    } catch (error) {
      if (!mayPass(error)) throw error;
      seen.state = `unknown: ${errorMessage(error)}`;
      seen.object = undefined;
    }
    await sleep(runtime, backoff.step(), { signal: options.signal });
  }
}

/** Errors of the condition itself end the wait. */
function mayPass(error: unknown): boolean {
  return isListwatchError(error) && !FINAL.has(error.code) && error.code !== 'ABORTED';
}

function note(seen: Seen, object: KubernetesObject | undefined): void {
  const { resourceVersion } = object?.metadata ?? {};
  const version = resourceVersion === undefined ? '' : ` at resource version ${resourceVersion}`;
  seen.state = object === undefined ? 'not there' : `there${version}`;
  seen.object = object;
}

/** Of an object that is there: that it is being deleted, and if its absence is awaited, why it is still there. */
function keptText<T>(is: WaitCondition<T>, object: KubernetesObject | undefined): string {
  if (object === undefined) return '';
  if (awaitsAbsence(is)) return whyHeld(object);
  return object.metadata?.deletionTimestamp === undefined ? '' : ', and being deleted';
}

function awaitsAbsence<T>(is: WaitCondition<T>): boolean {
  try {
    return holds(is, undefined);
  } catch {
    return false;
  }
}
