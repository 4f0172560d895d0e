import type {
  MetadataEventHandler,
  ObjectEventHandler,
} from '../../../lib/cache/informer/handlers/event-handler.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import type { HasMetadata, KubernetesObject } from '../../../lib/meta/object.ts';
import { compareResourceVersions } from '../../../lib/meta/versions/resource-version.ts';

export interface Change {
  readonly type: 'add' | 'update' | 'delete';
  readonly key: string;
  /** Undefined where the answer has none, as after a deletion. */
  readonly resourceVersion: string | undefined;
}

/** The writes, in order: an observer is compared with them. */
export type History = Change[];

/** A handler that records its notifications, and reports which of them were wrong. */
export class Observer {
  readonly name: string;
  readonly seen: Change[] = [];
  readonly #present = new Map<string, string>();

  constructor(name: string) {
    this.name = name;
  }

  objectHandler(): ObjectEventHandler<KubernetesObject> {
    return {
      onAdd: (object, { key }) => this.#saw('add', key, object),
      onUpdate: (_old, object, { key }) => this.#saw('update', key, object),
      onDelete: (object, { key }) => this.#saw('delete', key, object ?? {}),
    };
  }

  metadataHandler(): MetadataEventHandler {
    return {
      view: 'metadata',
      onAdd: (item) => this.#saw('add', item.key, item),
      onUpdate: (_old, item) => this.#saw('update', item.key, item),
      onDelete: (item) => this.#saw('delete', item.key, item),
    };
  }

  slowHandler(runtime: Runtime): ObjectEventHandler<KubernetesObject> {
    const quick = this.objectHandler();
    return {
      onAdd: async (object, info) => {
        await sleep(runtime, 1);
        await quick.onAdd?.(object, info);
      },
      onUpdate: (old, object, info) => quick.onUpdate?.(old, object, info),
      onDelete: (object, info) => quick.onDelete?.(object, info),
    };
  }

  /** Whether the notifications add up to exactly these objects. */
  matches(alive: ReadonlyMap<string, KubernetesObject>): boolean {
    if (this.#present.size !== alive.size) return false;
    return [...alive.values()].every(({ metadata }) => {
      const key = `${metadata!.namespace}/${metadata!.name}`;
      return this.#present.get(key) === metadata!.resourceVersion;
    });
  }

  /**
   * Everything that was lost, repeated, out of order or invented. With `exact` nothing may have been merged: every change
   * must have been notified. Without, a relist may have merged several changes of a key into one.
   */
  violations(history: History, { exact }: { exact: boolean }): string[] {
    const found = [...this.#impossible()];
    const truth = new Map<string, Change[]>();
    for (const change of history) push(truth, change.key, change);
    const notified = new Map<string, Change[]>();
    for (const change of this.seen) push(notified, change.key, change);
    for (const [key, changes] of truth) {
      const actual = notified.get(key) ?? [];
      const story = exact ? same(changes, actual) : isSubsequence(actual, changes);
      if (!story) {
        found.push(`${this.name}: ${key}: notified ${print(actual)}; happened ${print(changes)}`);
      }
    }
    for (const key of notified.keys()) {
      if (!truth.has(key)) found.push(`${this.name}: ${key} never existed`);
    }
    return found;
  }

  /** Contradictions in any history: an update of something absent, a resource version going back. */
  *#impossible(): Iterable<string> {
    const latest = new Map<string, string>();
    const present = new Set<string>();
    for (const { type, key, resourceVersion } of this.seen) {
      if ((type === 'add') === present.has(key))
        yield `${this.name}: ${type} of ${key} out of turn`;
      if (type === 'delete') present.delete(key);
      else present.add(key);
      const before = latest.get(key);
      if (resourceVersion === undefined) continue;
      if (before !== undefined && compareResourceVersions(before, resourceVersion) > 0) {
        yield `${this.name}: ${key} went back from ${before} to ${resourceVersion}`;
      }
      latest.set(key, resourceVersion);
    }
  }

  #saw(type: Change['type'], key: string, object: HasMetadata): void {
    const resourceVersion = object.metadata?.resourceVersion;
    this.seen.push({ type, key, resourceVersion });
    if (type === 'delete') this.#present.delete(key);
    else this.#present.set(key, resourceVersion ?? '');
  }
}

function push(map: Map<string, Change[]>, key: string, change: Change): void {
  const changes = map.get(key);
  if (changes === undefined) map.set(key, [change]);
  else changes.push(change);
}

function agrees(notified: Change, happened: Change): boolean {
  if (happened.type === 'delete' || notified.type === 'delete')
    return notified.type === happened.type;
  return notified.resourceVersion === happened.resourceVersion;
}

function same(expected: readonly Change[], actual: readonly Change[]): boolean {
  return (
    expected.length === actual.length &&
    expected.every((change, index) => {
      const other = actual[index]!;
      return change.type === other.type && agrees(other, change);
    })
  );
}

function isSubsequence(notified: readonly Change[], happened: readonly Change[]): boolean {
  let next = 0;
  for (const change of notified) {
    while (next < happened.length && !agrees(change, happened[next]!)) next += 1;
    if (next === happened.length) return false;
    next += 1;
  }
  return true;
}

function print(changes: readonly Change[]): string {
  return changes.map(({ type, resourceVersion }) => `${type}@${resourceVersion ?? '?'}`).join(' ');
}
