import type { ItemsInWork } from './keys/items-in-work.ts';
import { IN_WORK_AND_ADDED, type KeyTable } from './keys/key-table.ts';
import type { WaitingSlots } from './keys/waiting-slots.ts';
import type { KeyList, RunningKey, WaitingKey } from './queue-inspection.ts';

/** Maximum number of keys that a report lists, and a list of `inspect` by default. */
export const KEYS_IN_REPORT = 100;

/** The first `limit` keys that wait, in the order in which they are taken. */
export function waitingKeys<K>(
  keys: KeyTable<K>,
  waiting: WaitingSlots,
  limit: number,
  nowMs: number,
): readonly WaitingKey<K>[] {
  const found: WaitingKey<K>[] = [];
  for (const slot of waiting) {
    if (found.length === limit) break;
    const addedAtMs = waiting.enteredAtMs(slot) ?? keys.addedAtMs(slot);
    const waitedMs = addedAtMs === undefined ? undefined : Math.max(0, nowMs - addedAtMs);
    found.push({ key: keys.keyAt(slot), priority: waiting.priorityOf(slot), waitedMs });
  }
  return found;
}

/** The first `limit` keys in work. */
export function runningKeys<K>(
  keys: KeyTable<K>,
  inWork: ItemsInWork<K>,
  limit: number,
  nowMs: number,
): readonly RunningKey<K>[] {
  return inWork.slice(limit).map(({ key, priority, slot, place }) => ({
    key,
    priority,
    runningMs: Math.max(0, nowMs - inWork.takenAtMs(place)),
    addedAgain: keys.stateAt(slot) === IN_WORK_AND_ADDED,
  }));
}

export function listOf<K>(keys: readonly K[]): KeyList<K> {
  return { count: keys.length, keys: keys.slice(0, KEYS_IN_REPORT) };
}
