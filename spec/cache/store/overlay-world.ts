import { expect } from 'chai';
import { ThreadSafeStore } from '../../../lib/cache/store/thread-safe-store.ts';
import { WriteOverlay, type Deletion } from '../../../lib/cache/store/write-overlay.ts';
import { seededRandom } from '../../../lib/kernel/time/random.ts';
import { metaNamespaceKeyFunc } from '../../../lib/meta/key.ts';
import { pod, type Pod } from '../support/objects.ts';
import { byNode } from './overlay-support.ts';

const NAMES = ['a', 'b', 'c'];
const NODES = ['n1', 'n2', 'elsewhere'];

/** The selection of the cache. */
const matches = (object: Pod): boolean => object.spec?.nodeName !== 'elsewhere';

/** The state of one key in the collection from a version on. */
interface State {
  readonly from: number;
  readonly object: Pod | undefined;
}

interface Event {
  readonly version: number;
  readonly object: Pod;
  readonly deleted: boolean;
}

/** An answer on its way to the client that wrote. */
interface Answer {
  readonly key: string;
  readonly version: number;
  readonly deletedUid?: string | undefined;
  readonly deliver: () => void;
}

/**
 * A server that several clients write to, a cache that follows with any delay, by events and by lists, and one client whose
 * answers come in any order. It knows what every key was at every version, and holds every read against that.
 */
export class OverlayWorld {
  readonly store: ThreadSafeStore<Pod> = new ThreadSafeStore<Pod>({ indexers: { byNode } });
  readonly overlay: WriteOverlay<Pod> = new WriteOverlay<Pod>({ store: this.store, matches });
  readonly #random: () => number;
  readonly #objects = new Map<string, Pod>();
  readonly #history = new Map<string, State[]>();
  readonly #ownVersions = new Set<string>();
  readonly #deletedUids = new Set<string>();
  /** By key: no read may show a state that ended at this version or before. */
  readonly #floor = new Map<string, number>();
  readonly #events: Event[] = [];
  #answers: Answer[] = [];
  #list: { readonly version: number; readonly objects: readonly Pod[] } | undefined;
  #version = 5;
  #applied = 5;
  #uids = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    for (const name of NAMES) this.#history.set(`shop/${name}`, [{ from: 0, object: undefined }]);
  }

  /** Something happens; whatever it is, reads are right afterwards. */
  step(): void {
    const own = this.#below(2) === 0;
    const action = this.#below(12);
    if (action < 3) this.#put(own);
    else if (action < 5) this.#delete(own);
    else if (action < 8) this.#deliverAnswer();
    else if (action < 11) this.#follow();
    else this.#relist();
    this.#check();
  }

  /** Everything arrives that is on its way; the cache is the collection then, and nothing is laid over it. */
  settle(): void {
    while (this.#answers.length > 0) {
      this.#deliverAnswer();
      this.#check();
    }
    if (this.#list !== undefined) this.#relist();
    while (this.#events.length > 0) this.#follow();
    this.#processed(this.#version);
    this.#check();
    expect(this.overlay.inspect().pending).to.equal(0);
    expect(this.overlay.list()).to.equal(this.store.list());
    const selected = [...this.#objects.values()].filter(matches);
    expect(this.store.list()).to.have.members(selected);
  }

  #put(own: boolean): void {
    const name = this.#one(NAMES);
    const key = `shop/${name}`;
    const before = this.#objects.get(key);
    if (own && before !== undefined && this.#below(6) === 0) {
      // A write that changes nothing is answered with what is there.
      this.#answerWrite(before);
      return;
    }
    const uid = before?.metadata.uid ?? `u${(this.#uids += 1)}`;
    const resourceVersion = String((this.#version += 1));
    const object = pod(name, { uid, resourceVersion, nodeName: this.#one(NODES) });
    this.#objects.set(key, object);
    this.#commit(key, before, object);
    if (own) this.#answerWrite(object);
  }

  #delete(own: boolean): void {
    const [key, before] = this.#one([...this.#objects, [undefined, undefined] as const]);
    if (key === undefined) return;
    this.#objects.delete(key);
    this.#version += 1;
    this.#commit(key, before, undefined);
    if (!own) return;
    const { uid } = before.metadata;
    const resourceVersion = String(this.#version);
    const known: readonly (Pod | Deletion)[] = [
      { key, uid },
      { key, uid, resourceVersion },
      { ...before, metadata: { ...before.metadata, resourceVersion } },
      before,
    ];
    const answer = this.#one(known);
    const version = this.#version;
    this.#answers.push({
      key,
      version,
      deletedUid: uid,
      deliver: () => this.overlay.deleted(answer),
    });
  }

  #answerWrite(object: Pod): void {
    const key = metaNamespaceKeyFunc(object);
    const version = Number(object.metadata.resourceVersion);
    this.#answers.push({ key, version, deliver: () => this.overlay.written(object) });
  }

  /** Notes a change, and what the watch of the cache says of it, if anything. */
  #commit(key: string, before: Pod | undefined, after: Pod | undefined): void {
    const was = before !== undefined && matches(before);
    const is = after !== undefined && matches(after);
    const object = is ? after : undefined;
    if (was || is) this.#history.get(key)!.push({ from: this.#version, object });
    const last = after ?? before!;
    const metadata = { ...last.metadata, resourceVersion: String(this.#version) };
    if (is) this.#events.push({ version: this.#version, object: after, deleted: false });
    else if (was) {
      this.#events.push({ version: this.#version, object: { ...last, metadata }, deleted: true });
    }
  }

  #deliverAnswer(): void {
    if (this.#answers.length === 0) return;
    const answer = this.#one(this.#answers);
    this.#answers = this.#answers.filter((other) => other !== answer);
    const { key, version, deletedUid } = answer;
    const seen = this.overlay.get(key)?.metadata.uid === deletedUid;
    answer.deliver();
    if (deletedUid !== undefined) this.#deletedUids.add(deletedUid);
    else this.#ownVersions.add(String(version));
    // Of objects that have not been seen, only the uid is known to be gone.
    if (deletedUid !== undefined && !seen) return;
    this.#floor.set(key, Math.max(version, this.#floor.get(key) ?? 0));
  }

  /** The cache applies a batch of events, or a bookmark. */
  #follow(): void {
    if (this.#list !== undefined) return;
    const batch = this.#events.splice(0, 1 + this.#below(3));
    for (const { object, deleted, version } of batch) {
      const key = metaNamespaceKeyFunc(object);
      if (this.overlay.isOwn(key, String(version)) && !deleted) {
        expect(this.#ownVersions.has(String(version))).to.equal(true);
      }
      if (deleted) this.store.delete(key, object);
      else this.store.add(key, object);
      this.overlay.observed(key, object, deleted);
      this.#applied = version;
    }
    const isBookmark = this.#events.length === 0 && this.#below(2) === 0;
    this.#processed(isBookmark ? this.#version : this.#applied);
  }

  #processed(version: number): void {
    this.#applied = version;
    this.overlay.processed(String(version));
  }

  /** A list is taken now and applied later; what happens in between is not part of it. */
  #relist(): void {
    if (this.#list === undefined) {
      this.#list = {
        version: this.#version,
        objects: [...this.#objects.values()].filter(matches),
      };
      return;
    }
    const { version, objects } = this.#list;
    this.#list = undefined;
    this.#events.splice(0, this.#events.filter((event) => event.version <= version).length);
    this.#applied = version;
    const contents = objects.map((object) => [metaNamespaceKeyFunc(object), object] as const);
    this.store.replace(contents, String(version));
    this.overlay.replaced(String(version));
  }

  #check(): void {
    const { overlay } = this;
    const shown: Pod[] = [];
    for (const [key, history] of this.#history) {
      const object = overlay.get(key);
      if (object !== undefined) {
        shown.push(object);
        const { uid = '' } = object.metadata;
        expect(this.#deletedUids.has(uid), `${key} ${uid} is deleted`).to.equal(false);
      }
      this.#checkAge(key, history, object);
    }
    const byValue = NODES.map((node) => [node, shown.filter(isOn(node))] as const);
    const expected = [
      shown.length,
      names(shown),
      names(shown),
      ...byValue.flatMap(([, there]) => [names(there), names(there), there.length > 0]),
    ];
    const values = overlay.indexValues('byNode');
    const actual = [
      overlay.size,
      names(overlay.list()),
      overlay.keys().toSorted().join(),
      ...byValue.flatMap(([node]) => [
        names(overlay.byIndex('byNode', node)),
        overlay.indexKeys('byNode', node).join(),
        values.includes(node),
      ]),
    ];
    expect(actual.join(' ')).to.equal(expected.join(' '));
  }

  /** The state shown is one of a moment not before the newest own write, nor before the state shown last. */
  #checkAge(key: string, history: readonly State[], object: Pod | undefined): void {
    const floor = this.#floor.get(key) ?? 0;
    const found = history.findIndex((state, position) => {
      const end = history[position + 1]?.from ?? Infinity;
      return end > floor && state.object?.metadata.resourceVersion === versionOf(object);
    });
    const what = `${key} at ${versionOf(object) ?? 'nothing'} is older than ${floor}`;
    expect(found, what).to.be.at.least(0);
    this.#floor.set(key, Math.max(floor, history[found]!.from));
  }

  #one<T>(of: readonly T[]): T {
    return of[this.#below(of.length)]!;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

function versionOf(object: Pod | undefined): string | undefined {
  return object?.metadata.resourceVersion;
}

function isOn(node: string): (object: Pod) => boolean {
  return ({ spec }) => spec?.nodeName === node;
}

function names(objects: readonly Pod[]): string {
  return objects.map(metaNamespaceKeyFunc).toSorted().join();
}
