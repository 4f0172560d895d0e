import type { Revision } from '../../server/mvcc/contract/key-value-store.ts';
import type { SequentialModel, TimedOperation } from './sequential-model.ts';

/** The content of one key as a reader saw it; `undefined` for a missing key. */
export interface RegisterContent {
  readonly value: string;
  readonly modRevision: Revision;
}

/** The result of an operation on one key. */
export interface RegisterResult {
  /** Whether the comparison held; true without one. */
  readonly succeeded: boolean;
  /** The revision of a write. */
  readonly revision?: Revision | undefined;
  /** The content that was read or deleted; left out if the result does not contain it. */
  readonly seen?: { readonly content: RegisterContent | undefined } | undefined;
}

/**
 * An operation on one key. With `expected` it is a compare-and-swap on the revision of the last change, 0 for "missing" (a
 * creation). With `write` it is a put, or with null a deletion. Without both it is a read.
 */
export interface RegisterOperation extends TimedOperation {
  readonly id: number;
  readonly client: string;
  readonly key: string;
  readonly expected?: Revision | undefined;
  readonly write?: string | null | undefined;
  /** Left out if the outcome is unknown. */
  readonly result?: RegisterResult | undefined;
}

/** The state of the key in the model. */
export interface RegisterState {
  /** Undefined for a missing key; null if nothing is known. */
  readonly value: string | null | undefined;
  /** The revision of the last change, 0 for a missing key; undefined where no operation has returned it yet. */
  readonly modRevision: Revision | undefined;
  /** An earlier revision of this key; later ones are higher. */
  readonly above: Revision;
}

const MISSING: RegisterState = { value: undefined, modRevision: 0n, above: 0n };

/** One key of a key-value store: put, delete, create, compare-and-swap on the revision, read. */
export const registerModel: SequentialModel<RegisterState, RegisterOperation> = {
  initial: MISSING,
  anything: { value: null, modRevision: undefined, above: 0n },
  step,
  key: ({ value, modRevision, above }) => `${modRevision ?? `>${above}`} ${JSON.stringify(value)}`,
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
    return hasEffect ? after(matched(state, expected), write, undefined) : undefined;
  }
  if (result.succeeded ? !mayMatch(state, expected) : mustMatch(state, expected)) return undefined;
  const seen = matched(state, result.succeeded ? expected : undefined);
  const seenState = observed(seen, result);
  if (seenState === undefined || !result.succeeded || write === undefined) return seenState;
  return after(seenState, write, result.revision);
}

/** The state once its revision is known. */
function matched(state: RegisterState, expected: Revision | undefined): RegisterState {
  if (expected === undefined) return state;
  if (expected === 0n) return { ...state, value: undefined, modRevision: 0n };
  return { ...state, modRevision: expected, above: expected };
}

/** The state after applying the result of an operation to it; undefined if the result contradicts it. */
function observed(state: RegisterState, { seen }: RegisterResult): RegisterState | undefined {
  if (seen === undefined) return state;
  const { content } = seen;
  if (state.value !== null && state.value !== content?.value) return undefined;
  const { above } = state;
  const modRevision = content?.modRevision ?? 0n;
  if (state.modRevision !== undefined && state.modRevision !== modRevision) return undefined;
  if (content === undefined) return { value: undefined, modRevision, above };
  if (state.modRevision === undefined && modRevision <= above) return undefined;
  return { value: content.value, modRevision, above: modRevision };
}

function after(
  { above }: RegisterState,
  write: string | null,
  revision: Revision | undefined,
): RegisterState | undefined {
  if (write === null) return { value: undefined, modRevision: 0n, above };
  if (revision === undefined) return { value: write, modRevision: undefined, above };
  return revision > above ? { value: write, modRevision: revision, above: revision } : undefined;
}

function mayMatch(state: RegisterState, expected: Revision | undefined): boolean {
  if (expected === undefined) return true;
  if (state.modRevision !== undefined) return state.modRevision === expected;
  // Either nothing is known about the key, or its revision was not returned yet.
  return expected === 0n ? state.value === null : expected > state.above;
}

function mustMatch(state: RegisterState, expected: Revision | undefined): boolean {
  return expected === undefined || state.modRevision === expected;
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
