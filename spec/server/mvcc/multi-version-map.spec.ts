import { expect } from 'chai';
import { randomInteger } from '../../../lib/kernel/time/random.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KeyValue, RangeRequest } from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { MultiVersionMap } from '../../../lib/server/mvcc/multi-version-map.ts';

/** Keeps a full copy of the state at every revision. */
class CopyingModel {
  readonly states = new Map<bigint, Map<string, KeyValue>>([[1n, new Map()]]);
  revision = 1n;

  write(changes: readonly (readonly [key: string, value: string | undefined])[]): void {
    const state = new Map(this.states.get(this.revision));
    const revision = this.revision + 1n;
    let changed = false;
    for (const [key, value] of changes) {
      const before = state.get(key);
      if (value === undefined) {
        changed = state.delete(key) || changed;
        continue;
      }
      changed = true;
      state.set(key, {
        key,
        value: Buffer.from(value),
        createRevision: before?.createRevision ?? revision,
        modRevision: revision,
        version: (before?.version ?? 0n) + 1n,
        lease: 0n,
      });
    }
    if (!changed) return;
    this.revision = revision;
    this.states.set(revision, state);
  }

  range({ key, rangeEnd, revision, limit }: RangeRequest): { items: KeyValue[]; count: number } {
    const all = [...(this.states.get(revision ?? this.revision) as Map<string, KeyValue>).values()]
      .filter((kv) =>
        rangeEnd === undefined ? kv.key === key : kv.key >= key && kv.key < rangeEnd,
      )
      .toSorted((left, right) => (left.key < right.key ? -1 : 1));
    return {
      items: all.slice(0, limit === undefined || limit === 0 ? undefined : limit),
      count: all.length,
    };
  }
}

function apply(
  map: MultiVersionMap,
  changes: readonly (readonly [string, string | undefined])[],
): void {
  for (const [key, value] of changes) {
    if (value === undefined) map.delete(key);
    else map.put(key, Buffer.from(value), 0n);
  }
  map.commit();
}

/** The state at a revision, as a snapshot reads it. */
function visited(map: MultiVersionMap, revision: bigint): string[] {
  const items: string[] = [];
  map.visitFrom('', revision, 100, (kv) => {
    items.push(`${kv.key}=${Buffer.from(kv.value).toString()}`);
    return true;
  });
  return items;
}

function trimAll(map: MultiVersionMap): void {
  while (map.trim(1));
}

describe('MultiVersionMap', () => {
  it('keeps the state at a pinned revision until it is released', () => {
    const map = new MultiVersionMap();
    apply(map, [['a', '1']]);
    const [first, second] = [map.pin(2n), map.pin(2n)];
    apply(map, [
      ['a', '2'],
      ['b', '1'],
    ]);
    apply(map, [['a', undefined]]);
    map.compact(4n);
    trimAll(map);
    expect(visited(map, 2n)).to.deep.equal(['a=1']);
    first();
    first();
    trimAll(map);
    expect(visited(map, 2n), 'the other pin').to.deep.equal(['a=1']);
    second();
    trimAll(map);
    expect(visited(map, 2n)).to.deep.equal([]);
    expect(visited(map, 4n)).to.deep.equal(['b=1']);
  });

  it('frees the one older version of a key that a pin has kept', () => {
    const map = new MultiVersionMap();
    apply(map, [['a', '1']]);
    const release = map.pin(2n);
    apply(map, [['a', '2']]);
    map.compact(3n);
    trimAll(map);
    expect(visited(map, 2n)).to.deep.equal(['a=1']);
    release();
    trimAll(map);
    expect(visited(map, 2n)).to.deep.equal([]);
    expect(visited(map, 3n)).to.deep.equal(['a=2']);
  });

  it('is visited in steps: each says where the next one begins, the last one that it is the last', () => {
    const map = new MultiVersionMap();
    apply(
      map,
      ['a', 'b', 'c', 'd', 'e'].map((key) => [key, '1'] as const),
    );
    const seen: string[] = [];
    const visit = (start: string, most: number, stopAt = ''): string | undefined =>
      map.visitFrom(start, map.revision, most, ({ key }) => {
        if (key === stopAt) return false;
        seen.push(key);
        return true;
      });
    const second = visit('', 2);
    expect(seen.splice(0)).to.deep.equal(['a', 'b']);
    const third = visit(second ?? '', 9, 'd');
    expect(seen.splice(0)).to.deep.equal(['c']);
    expect(visit(third ?? '', 9)).to.equal(undefined);
    expect(seen).to.deep.equal(['d', 'e']);
  });

  for (const seed of [1, 2, 3]) {
    it(`answers at every revision as full copies do, with compactions in between (seed ${seed})`, () => {
      const runtime = new VirtualRuntime({ seed });
      const map = new MultiVersionMap();
      const model = new CopyingModel();
      const key = (): string => `k${randomInteger(runtime, 0, 40)}`;
      for (let step = 0; step < 600; step += 1) {
        const keys = new Set(Array.from({ length: randomInteger(runtime, 1, 3) }, key));
        const changes = [...keys].map(
          (one) => [one, runtime.random() < 0.4 ? undefined : `v${step}`] as const,
        );
        apply(map, changes);
        model.write(changes);
        expect(map.revision).to.equal(model.revision);
        if (runtime.random() < 0.02 && map.revision > map.compactedRevision) {
          const span = Number(map.revision - map.compactedRevision);
          map.compact(map.compactedRevision + BigInt(randomInteger(runtime, 1, span)));
        }
        map.trim(randomInteger(runtime, 0, 3));
        const low = map.compactedRevision > 1n ? map.compactedRevision : 1n;
        const revision = low + BigInt(randomInteger(runtime, 0, Number(map.revision - low)));
        const request = {
          key: key(),
          rangeEnd: runtime.random() < 0.2 ? undefined : key(),
          revision: runtime.random() < 0.3 ? undefined : revision,
          limit: randomInteger(runtime, 0, 10),
        };
        const { items, count } = model.range(request);
        const answer = map.range(request);
        expect(answer.items).to.deep.equal(items);
        expect(answer.count).to.equal(count);
        expect(answer.more).to.equal(count > items.length);
        expect(answer.revision).to.equal(map.revision);
      }
    });
  }

  it('forgets keys that were deleted before the compaction, and the log with them', () => {
    const map = new MultiVersionMap();
    for (let index = 0; index < 1000; index += 1) apply(map, [[`k${index}`, 'x'.repeat(1000)]]);
    for (let index = 0; index < 1000; index += 1) apply(map, [[`k${index}`, undefined]]);
    expect(map.historyBytes).to.be.greaterThan(1_000_000);
    map.compact(map.revision);
    expect(map.trim(100), 'there is more to free').to.equal(true);
    expect(map.trim(10_000)).to.equal(false);
    expect(map.historyBytes).to.be.lessThan(1000);
    expect(map.eventsAt(map.revision - 1n)).to.equal(undefined);
    expect(map.eventsAt(map.revision)).to.have.lengthOf(1);
  });

  it('measures the work of freeing in changes, not in revisions', () => {
    const map = new MultiVersionMap();
    for (let revision = 0; revision < 10; revision += 1) {
      apply(
        map,
        Array.from({ length: 100 }, (_, index) => [`k${index}`, `${revision}`] as const),
      );
    }
    map.compact(map.revision);
    expect(map.trim(250)).to.equal(true);
    const kept = [2n, 3n, 4n, 5n].map((revision) => map.eventsAt(revision) !== undefined);
    expect(kept, 'three whole revisions are done, the third is the boundary').to.deep.equal([
      false,
      false,
      true,
      true,
    ]);
    expect(map.trim(10_000)).to.equal(false);
  });

  it('shares one value between reads, history and events', () => {
    const map = new MultiVersionMap();
    const value = Buffer.from('x');
    map.put('a', value, 0n);
    const [message] = map.commit() ?? [];
    expect(message?.event.kv.value).to.equal(value);
    expect(map.range({ key: 'a' }).items[0]).to.equal(message?.event.kv);
  });
});
