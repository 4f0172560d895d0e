import { LRUCache } from 'lru-cache';
import { identityKey, type ObjectIdentity } from './object-identity.ts';

/** As in upstream; each entry saves one read for each dependent of the owner. */
const MOST_OWNERS = 500;

/** Owners that are known not to exist, the newest ones: uids are never used again, so an entry cannot become wrong. */
export class AbsentOwners {
  readonly #owners = new LRUCache<string, true>({ max: MOST_OWNERS });

  add(owner: ObjectIdentity): void {
    this.#owners.set(identityKey(owner), true);
  }

  has(owner: ObjectIdentity): boolean {
    return this.#owners.has(identityKey(owner));
  }
}
