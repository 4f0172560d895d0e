import { ListwatchError } from '../../kernel/failure/errors.ts';
import { SLOTS } from './rendezvous.ts';

/** Where the Lease of a group keeps its table. */
export const TABLE_ANNOTATION = 'sharding.listwatch.dev/slots';

/** The form of the text. A later version of the package that writes another one counts it up. */
const FORMAT = 1;

/** Which member has each slot. Undefined: none. */
export type SlotOwners = readonly (string | undefined)[];

export interface SlotTable {
  /** How many changes were made to it: one that was seen with more has gone back in time. */
  readonly change: number;
  readonly owners: SlotOwners;
}

export const EMPTY_TABLE: SlotTable = {
  change: 0,
  owners: Array.from({ length: SLOTS }, () => undefined),
};

export function encodeTable({ change, owners }: SlotTable): string {
  const members = [...new Set(owners.flatMap((member) => member ?? []))];
  const slots = owners.map((member) => (member === undefined ? -1 : members.indexOf(member)));
  return JSON.stringify({ format: FORMAT, change, members, slots });
}

/** @throws {ListwatchError} code LEASE_INVALID for a text that no replica of this version has written. */
export function decodeTable(text: string | undefined, what: string): SlotTable {
  const { format, change, members, slots } = fieldsOf(text);
  if (typeof format === 'number' && format !== FORMAT) {
    throw new ListwatchError(
      'LEASE_INVALID',
      `the lease ${what} has a table of slots of format ${format}, and this version of listwatch reads format ${FORMAT}: replicas of another version run; stop them first, or use another name`,
    );
  }
  if (isCount(change) && isNames(members) && isSlots(slots, members.length)) {
    return { change, owners: slots.map((index) => members[index]) };
  }
  throw new ListwatchError(
    'LEASE_INVALID',
    `the lease ${what} has no table of slots in its annotation ${TABLE_ANNOTATION}: another program has it, or edited it; use another name, or delete it when no replica runs`,
  );
}

function fieldsOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text ?? '') ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '');
}

/** A number that names no member would pass for a free slot. */
function isSlots(value: unknown, members: number): value is readonly number[] {
  const isSlot = (slot: unknown): boolean => slot === -1 || (isCount(slot) && slot < members);
  return Array.isArray(value) && value.length === SLOTS && value.every(isSlot);
}
