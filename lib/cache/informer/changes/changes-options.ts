import { ListwatchError } from '../../../kernel/failure/errors.ts';
import { numberOption, rejectUnknownOptions } from '../../../kernel/options/options.ts';
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

const KNOWN: readonly (keyof ChangesOptions)[] = [
  'view',
  'markSynced',
  'maxBuffered',
  'overflow',
  'name',
  'signal',
];

const DEFAULT_MAX_BUFFERED = 10_000;

export interface ResolvedChangesOptions {
  readonly view: ChangeView;
  readonly markSynced: boolean;
  readonly maxBuffered: number;
  readonly overflow: 'coalesce' | 'error';
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}

/** @throws {ListwatchError} code INVALID_OPTION. */
export function resolveChangesOptions(options: ChangesOptions): ResolvedChangesOptions {
  rejectUnknownOptions('changes', options, KNOWN);
  const { view = 'object', overflow = 'coalesce', markSynced = false, name, signal } = options;
  requireOneOf('view', view, ['object', 'metadata']);
  requireOneOf('overflow', overflow, ['coalesce', 'error']);
  const maxBuffered = numberOption(
    'changes',
    'maxBuffered',
    options.maxBuffered,
    DEFAULT_MAX_BUFFERED,
    { min: 1, integer: true },
  );
  return { view, markSynced, maxBuffered, overflow, name: name ?? 'changes', signal };
}

function requireOneOf(option: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new ListwatchError(
    'INVALID_OPTION',
    `changes: option "${option}" must be ${allowed.join(' or ')}, not ${JSON.stringify(value)}`,
  );
}
