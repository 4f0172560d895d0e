import { is, optionsOf, type FilledOptions } from '../../../kernel/options/options-schema.ts';
import type { ObjectMetadata, Origin } from '../handlers/event-handler.ts';

export interface ChangesOptions<
  View extends ChangeView = ChangeView,
  Mark extends boolean = boolean,
> {
  /** @defaultValue 'object' */
  readonly view?: View | undefined;
  /** Whether a `{ type: 'synced' }` follows the state at the start. @defaultValue false */
  readonly markSynced?: Mark | undefined;
  /** Changes that may wait for the reader, initial ones left out; at least 1. @defaultValue 10 000 */
  readonly maxBuffered?: number | undefined;
  /**
   * The reaction above the limit. `coalesce`: the reader gets the net change of each object instead of every change. `error`:
   * the reader gets the buffered changes, and then the loop throws BUFFER_FULL.
   * @defaultValue 'coalesce'
   */
  readonly overflow?: 'coalesce' | 'error' | undefined;
  /** Names the reader in `inspect()` and messages. @defaultValue 'changes' */
  readonly name?: string | undefined;
  /** Ends the loop; it throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

const CHANGES = optionsOf<ChangesOptions>()('changes', {
  view: is.oneOf('object', 'metadata').default('object'),
  markSynced: is.flag().default(false),
  maxBuffered: is.integer({ min: 1 }).default(10_000),
  overflow: is.oneOf('coalesce', 'error').default('coalesce'),
  name: is.text().default('changes'),
  signal: is.abortSignal(),
});

export type ResolvedChangesOptions = FilledOptions<
  ChangesOptions,
  Exclude<keyof ChangesOptions, 'signal'>
>;

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveChangesOptions(options: ChangesOptions): ResolvedChangesOptions {
  return CHANGES.read(options);
}

/** An object that existed at the start, or that was added later. */
export interface AddedChange<V> {
  readonly type: 'add';
  readonly key: string;
  readonly object: V;
  readonly old?: undefined;
  /** The object existed when the loop began, or when the informer started. */
  readonly initial: boolean;
  /** The author of the change; see `Origin`. */
  readonly origin: Origin;
}

export interface UpdatedChange<V> {
  readonly type: 'update';
  readonly key: string;
  readonly object: V;
  /** The state before, as this reader last saw it. */
  readonly old: V;
  readonly initial: false;
  readonly origin: Origin;
}

export interface DeletedChange<V> {
  readonly type: 'delete';
  readonly key: string;
  /** The last known state. */
  readonly object: V;
  readonly old?: undefined;
  readonly initial: false;
  /** The deletion itself was missed. The object is the last state seen; it may have changed before the deletion. */
  readonly finalStateUnknown: boolean;
  readonly origin: Origin;
}

/** One change of one object. Its objects are shared with the cache and must not be modified. */
export type InformerChange<V> = AddedChange<V> | UpdatedChange<V> | DeletedChange<V>;

/** The reader has seen the whole state at the start. */
export interface SyncedChange {
  readonly type: 'synced';
}

/** `object`: whole objects, decoded when they are read. `metadata`: key and metadata only; nothing is ever decoded. */
export type ChangeView = 'object' | 'metadata';

/** An item of a loop over changes. */
export type ChangeOf<T, View extends ChangeView, Mark extends boolean> =
  | InformerChange<View extends 'metadata' ? ObjectMetadata : T>
  | (Mark extends true ? SyncedChange : never);
