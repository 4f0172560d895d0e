/** Keys are moved between replicas in parts: a key belongs to one of these. */
export const SLOTS = 256;

/** The slot of a key, the same in each replica. */
export function slotOf(key: string): number {
  return hashOf(key) % SLOTS;
}

/**
 * Which member a slot goes to: the one with the highest hash of both. When a member comes or goes, only the slots that it gets or had move.
 * Undefined: there is none.
 */
export function memberOf(slot: number, members: Iterable<string>): string | undefined {
  let best: string | undefined;
  let highest = -1;
  for (const member of members) {
    const weight = hashOf(`${slot} ${member}`);
    if (weight < highest || (weight === highest && (best ?? '') < member)) continue;
    best = member;
    highest = weight;
  }
  return best;
}

/** The members to which all slots go, computed again when the members change: a member asks in each cycle. */
export class SlotAssignment {
  #members: readonly string[] = [];
  #owners: readonly (string | undefined)[] = Array.from({ length: SLOTS });

  /** The owner of each slot. */
  of(members: readonly string[]): readonly (string | undefined)[] {
    const before = this.#members;
    const isSame =
      members.length === before.length && members.every((member, at) => member === before[at]);
    if (isSame) return this.#owners;
    this.#members = members;
    this.#owners = Array.from({ length: SLOTS }, (_, slot) => memberOf(slot, members));
    return this.#owners;
  }
}

/** FNV-1a over UTF-16, with the last steps of MurmurHash3, so that similar texts differ in all bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
