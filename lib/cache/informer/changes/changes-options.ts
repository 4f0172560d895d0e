import { is, optionsOf, type FilledOptions } from '../../../kernel/options/options-schema.ts';
import type { ChangeView } from './informer-change.ts';

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
