import type { Revision } from '../../server/mvcc/key-value-store.ts';
import type { SequentialModel, TimedOperation } from './sequential-model.ts';

/** What one key holds, as a reader saw it: `undefined` for nothing. */
export interface RegisterContent {
  readonly value: string;
  readonly modRevision: Revision;
}

/** What came of an operation on one key. */
export interface RegisterResult {
  /** Whether the comparison held; true without one. */
  readonly succeeded: boolean;
  /** The revision of a write. */
  readonly revision?: Revision | undefined;
  /** What was read, or deleted; left out where nothing was said about it. */
  readonly seen?: { readonly content: RegisterContent | undefined } | undefined;
}

/**
 * An operation on one key. With `expected` it is a compare-and-swap on the revision of the last change, 0 for "missing" (a
 * creation); with `write` a put, or, with null, a deletion; without, a read.
 */
export interface RegisterOperation extends TimedOperation {
  readonly id: number;
  readonly client: string;
  readonly key: string;
  readonly expected?: Revision | undefined;
  readonly write?: string | null | undefined;
  /** Left out where the outcome is unknown. */
  readonly result?: RegisterResult | undefined;
}

/** A value of `undefined` stands for a missing key, a revision of `undefined` for one that nobody has seen yet. */
export type RegisterState =
  | 'anything'
  | { readonly value: string | undefined; readonly modRevision: Revision | undefined };

const MISSING: RegisterState = { value: undefined, modRevision: 0n };

/** One key of a key-value store: put, delete, create, compare-and-swap on the revision, read. */
export const registerModel: SequentialModel<RegisterState, RegisterOperation> = {
  initial: MISSING,
  anything: 'anything',
  step,
  key: (state) =>
    state === 'anything' ? '?' : `${state.modRevision ?? '?'} ${JSON.stringify(state.value)}`,
  isRead: ({ write }) => write === undefined,
  forget: (operation) => ({
    ...operation,
    returnedAt: Number.POSITIVE_INFINITY,
    result: undefined,
  }),
};

function step(state: RegisterState, operation: RegisterOperation): RegisterState | undefined {
  const { expected, write, result } = operation;
  if (result === undefined) {
    const hasEffect = write !== undefined && mayMatch(state, expected);
    return hasEffect ? after(state, write, undefined) : undefined;
  }
  if (result.succeeded ? !mayMatch(state, expected) : mustMatch(state, expected)) return undefined;
  const seen = matched(state, result.succeeded ? expected : undefined);
  const told = observed(seen, result);
  if (told === undefined || !result.succeeded || write === undefined) return told;
  return after(told, write, result.revision);
}

/** What the state is known to be once its revision is known. */
function matched(state: RegisterState, expected: Revision | undefined): RegisterState {
  if (expected === undefined) return state;
  if (expected === 0n) return MISSING;
  return state === 'anything' ? state : { ...state, modRevision: expected };
}

/** The state in the light of what an operation saw of it; undefined when it cannot have seen that. */
function observed(state: RegisterState, { seen }: RegisterResult): RegisterState | undefined {
  if (seen === undefined) return state;
  const { content } = seen;
  const told = content ?? MISSING;
  if (state === 'anything') return told;
  if (state.value !== content?.value) return undefined;
  const known = state.modRevision;
  return known === undefined || known === (content?.modRevision ?? 0n) ? told : undefined;
}

function after(
  state: RegisterState,
  write: string | null,
  revision: Revision | undefined,
): RegisterState | undefined {
  if (write === null) return MISSING;
  const before = state === 'anything' ? undefined : state.modRevision;
  if (before !== undefined && revision !== undefined && revision <= before) return undefined;
  return { value: write, modRevision: revision };
}

function mayMatch(state: RegisterState, expected: Revision | undefined): boolean {
  if (expected === undefined || state === 'anything') return true;
  if (state.modRevision === undefined) return expected !== 0n;
  return state.modRevision === expected;
}

function mustMatch(state: RegisterState, expected: Revision | undefined): boolean {
  if (expected === undefined) return true;
  if (state === 'anything') return false;
  return state.modRevision === expected;
}

/** One operation on one line. */
export function registerOperationText(operation: RegisterOperation): string {
  const { id, client, key, calledAt, returnedAt, expected, write, result } = operation;
  const until = returnedAt === Number.POSITIVE_INFINITY ? '…' : returnedAt;
  const condition = expected === undefined ? '' : `if at ${expected} `;
  const action =
    write === undefined ? 'read' : write === null ? 'delete' : `put ${JSON.stringify(write)}`;
  return `#${id} ${client} [${calledAt}..${until}] ${condition}${action} ${JSON.stringify(key)} -> ${resultText(result)}`;
}

function resultText(result: RegisterResult | undefined): string {
  if (result === undefined) return 'unknown';
  const { succeeded, revision, seen } = result;
  const content = seen?.content;
  const saw =
    seen === undefined
      ? ''
      : `, saw ${content === undefined ? 'nothing' : `${JSON.stringify(content.value)}@${content.modRevision}`}`;
  return `${succeeded ? 'yes' : 'no'}${revision === undefined ? '' : ` at revision ${revision}`}${saw}`;
}
