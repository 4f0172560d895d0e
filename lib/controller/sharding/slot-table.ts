import { ListwatchError } from '../../kernel/failure/errors.ts';
import { SLOTS } from './rendezvous.ts';

/** Where the Lease of a group keeps its table. */
export const TABLE_ANNOTATION = 'sharding.listwatch.dev/slots';

/** Which member has each slot. Undefined: none. */
export type SlotTable = readonly (string | undefined)[];

export const EMPTY_TABLE: SlotTable = Array.from({ length: SLOTS }, () => undefined);

export function encodeTable(table: SlotTable): string {
  const members = [...new Set(table.flatMap((member) => member ?? []))];
  const slots = table.map((member) => (member === undefined ? -1 : members.indexOf(member)));
  return JSON.stringify({ members, slots });
}

/** @throws {ListwatchError} code LEASE_INVALID for a text that no replica of this package has written. */
export function decodeTable(text: string | undefined, what: string): SlotTable {
  try {
    const { members, slots } = JSON.parse(text ?? '') as {
      readonly members: readonly string[];
      readonly slots: readonly number[];
    };
    if (Array.isArray(members) && Array.isArray(slots) && slots.length === SLOTS) {
      return slots.map((index) => members[index]);
    }
  } catch {
    // It is refused below.
  }
  throw new ListwatchError(
    'LEASE_INVALID',
    `the lease ${what} has no table of slots in its annotation ${TABLE_ANNOTATION}: another program has it, or edited it; use another name, or delete it when no replica runs`,
  );
}
