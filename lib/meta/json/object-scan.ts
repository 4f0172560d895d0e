import type { ObjectIdentity } from '../object-view.ts';

/** Types of the events that carry an object; a scan uses their indexes. */
export type ScannedEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export const EVENT_TYPES: readonly ScannedEventType[] = ['ADDED', 'MODIFIED', 'DELETED'];

/** The result of a scan; valid until the next one. Offsets count from the start of the bytes. */
export interface ObjectScan extends ObjectIdentity {
  /** Whether the other results are complete; see `ObjectScanner`. */
  readonly plain: boolean;
  readonly hasKind: boolean;
  readonly hasApiVersion: boolean;
  /** From the opening brace to after the closing one; −1 without metadata. */
  readonly metadataStart: number;
  readonly metadataEnd: number;
  /** The range of `managedFields` in the metadata; −1 when they are absent. */
  readonly managedFieldsStart: number;
  readonly managedFieldsEnd: number;
  /** The longest member that is an object or array, other than the metadata; −1 without one. */
  readonly longestStart: number;
  readonly longestEnd: number;
  /** Of an event. */
  readonly eventType: ScannedEventType;
  readonly objectStart: number;
  readonly objectEnd: number;
}
