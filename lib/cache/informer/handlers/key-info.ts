import type { AddInfo, DeleteInfo, UpdateInfo } from './event-handler.ts';

/*
 * The argument of a handler of keys: plain data that the handler may keep, spread or log at any time. A notification cannot be
 * used, since it refers to an object, and objects are not retained for such a handler.
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
