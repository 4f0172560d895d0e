import type { AddInfo, DeleteInfo, UpdateInfo } from './event-handler.ts';

/*
 * What a handler of keys gets: an object that it may keep, spread or log at any time. A notification would not do, for it
 * leads to an object of which nothing is kept for such a handler.
 */

export function addedKey({ key, initial, origin }: AddInfo): AddInfo {
  return Object.freeze({ key, initial, origin });
}

export function updatedKey({ key, resync, origin }: UpdateInfo): UpdateInfo {
  return Object.freeze({ key, resync, origin });
}

export function deletedKey({ key, finalStateUnknown, origin }: DeleteInfo): DeleteInfo {
  return Object.freeze({ key, finalStateUnknown, origin });
}
