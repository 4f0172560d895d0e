import { expect } from 'chai';
import type { Notification } from '../../../lib/cache/informer/handlers/notification.ts';
import { RelistChanges } from '../../../lib/cache/collection/relist-changes.ts';
import { StoredObjects } from '../../../lib/cache/collection/stored-objects.ts';
import type { ReplacedAllDelta } from '../../../lib/cache/delta/delta.ts';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { pod, type Pod } from '../support/objects.ts';
import { RecordingMemory, releaseDisplaced } from '../support/recording-memory.ts';

function print(notification: Notification<Pod>): string {
  const { key, object } = notification;
  const now = `${key}@${object.metadata.resourceVersion}#${object.metadata.uid}`;
  if (notification.type === 'add') return `+${now}`;
  if (notification.type === 'delete') return `-${now}`;
  return `~${notification.old.metadata.resourceVersion}>${now}`;
}

/** The rules of a relist in their simplest form. */
function expected(
  stored: ReadonlyMap<string, Pod>,
  { contents, unreadable, resourceVersion }: ReplacedAllDelta<Pod>,
  undone: ReadonlySet<string>,
): { notified: string[]; content: Map<string, Pod>; undone: string[] } {
  const notified: string[] = [];
  const content = new Map<string, Pod>();
  const nowUndone: string[] = [];
  for (const [key, old] of stored) {
    if (contents.has(key)) continue;
    if (!unreadable.has(key))
      notified.push(`-${key}@${old.metadata.resourceVersion}#${old.metadata.uid}`);
    else {
      content.set(key, old);
      if (Number(old.metadata.resourceVersion) > Number(resourceVersion)) nowUndone.push(key);
    }
  }
  const present: string[] = [];
  for (const [key, object] of contents) {
    const old = stored.get(key);
    const [before, after] = [old?.metadata, object.metadata];
    const same = before?.resourceVersion === after.resourceVersion && before?.uid === after.uid;
    if (old !== undefined && same && !undone.has(key)) {
      content.set(key, old);
      continue;
    }
    content.set(key, object);
    const now = `${key}@${after.resourceVersion}#${after.uid}`;
    if (before !== undefined && before.uid === after.uid) {
      present.push(`~${before.resourceVersion}>${now}`);
      continue;
    }
    if (before !== undefined) notified.push(`-${key}@${before.resourceVersion}#${before.uid}`);
    present.push(`+${now}`);
  }
  return { notified: [...notified, ...present], content, undone: nowUndone };
}

describe('RelistChanges', () => {
  for (const mostInPlace of [0, 3, 2000]) {
    it(`says and does what a relist means, with up to ${mostInPlace} changes in place`, () => {
      const random = seededRandom(17 + mostInPlace);
      const below = (limit: number): number => Math.floor(random() * limit);
      const some = (): Pod =>
        pod(`/p${below(8)}`, { resourceVersion: String(1 + below(5)), uid: `u${below(2)}` });
      for (let round = 0; round < 2000; round += 1) {
        const memory = new RecordingMemory<Pod>();
        const store = new ThreadSafeStore<Pod>({
          mostInPlace,
          indexers: { byUid: ({ metadata }) => [metadata.uid!] },
        });
        const stored = new Map<string, Pod>();
        for (let index = below(9); index > 0; index -= 1) {
          const object = some();
          stored.set(object.metadata.name!, object);
        }
        store.replace(stored, '1');
        for (const object of stored.values()) memory.retain(object);
        const contents = new Map<string, Pod>();
        const unreadable = new Set<string>();
        for (let index = below(9); index > 0; index -= 1) {
          const object = some();
          const key = object.metadata.name!;
          if (random() < 0.2 && !contents.has(key)) unreadable.add(key);
          if (unreadable.has(key)) continue;
          const unchanged = random() < 0.3 ? stored.get(key) : undefined;
          contents.set(key, unchanged ?? object);
          memory.retain(unchanged ?? object);
        }
        for (const object of memory.retained) {
          const isUsed = [...contents.values()].includes(object) || store.list().includes(object);
          if (!isUsed) memory.release(object);
        }
        const undone = new Set([...stored.keys()].filter(() => random() < 0.2));
        const relist: ReplacedAllDelta<Pod> = {
          type: 'ReplacedAll',
          contents,
          unreadable,
          resourceVersion: String(1 + below(5)),
        };
        const right = expected(stored, relist, undone);
        const objects = new StoredObjects<Pod>({ store, memory });
        objects.commit(objects.begin(), '1', undone);
        const changes = new RelistChanges<Pod>({ relist, objects, initial: false });
        // Some of the steps are left to `apply`.
        for (let steps = below(30); steps > 0; steps -= 1) changes.steps.next();
        expect([...store.entries()]).to.deep.equal([...stored]);
        expect(changes.apply().map(print)).to.deep.equal(right.notified);
        const nowUndone = [...store.entries()].filter(
          ([key, object]) => objects.unchanged(key, object) === undefined,
        );
        expect(nowUndone.map(([key]) => key)).to.have.members(right.undone);
        expect(store.size).to.equal(right.content.size);
        for (const [key, object] of right.content) expect(store.get(key)).to.equal(object);
        expect(store.resourceVersion).to.equal(relist.resourceVersion);
        for (const uid of ['u0', 'u1']) {
          expect([...store.byIndex('byUid', uid)]).to.have.members(
            store.list().filter(({ metadata }) => metadata.uid === uid),
          );
        }
        releaseDisplaced(objects);
        expect([...memory.retained]).to.have.members([...store.list()]);
      }
    });
  }

  it('looks at one object a step, and at those that are left when it is applied', () => {
    const store = new ThreadSafeStore<Pod>();
    const contents = new Map(
      Array.from({ length: 1000 }, (_, index) => [`p${index}`, pod(`/p${index}`)]),
    );
    const relist = {
      type: 'ReplacedAll',
      contents,
      unreadable: new Set<string>(),
      resourceVersion: '1',
    } as const;
    let indexed = 0;
    store.addIndexers({
      counting: () => {
        indexed += 1;
        return [];
      },
    });
    const objects = new StoredObjects<Pod>({ store });
    const changes = new RelistChanges<Pod>({ relist, objects, initial: true });
    for (let step = 0; step < 100; step += 1) changes.steps.next();
    expect(indexed).to.equal(100);
    expect(changes.apply()).to.have.length(1000);
    expect(indexed).to.equal(1000);
  });
});
