import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { Cacher } from '../../../lib/server/cacher/cacher.ts';
import { parseFieldSelector } from '../../../lib/meta/selectors/field-selector.ts';
import { parseLabelSelector } from '../../../lib/meta/selectors/label-selector.ts';
import { EtcdError } from '../../../lib/server/etcd/etcd-error.ts';
import { prefixEnd } from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { KeyValueStorage } from '../../../lib/server/storage/key-value-storage.ts';
import type { SelectionPredicate } from '../../../lib/server/storage/contract/selection-predicate.ts';
import type { StorageList } from '../../../lib/server/storage/contract/storage-interface.ts';
import { SlowMember } from './slow-member.ts';

const PREFIX = '/registry/things/';
const RANGE = { key: PREFIX, rangeEnd: prefixEnd(PREFIX), mayEndEarly: true };
const KB = 1024;

interface World {
  readonly runtime: VirtualRuntime;
  readonly member: SlowMember;
  readonly storage: KeyValueStorage;
}

interface WorldOptions {
  readonly objects: number;
  readonly objectBytes: number;
  readonly bytesPerMs: number;
}

/** 3 MB in the time of a member, of a collection of 6 MB. */
const SLOW: WorldOptions = { objects: 60, objectBytes: 100 * KB, bytesPerMs: KB };

function nameOf(index: number): string {
  return `thing-${String(index).padStart(5, '0')}`;
}

async function put(member: SlowMember, index: number, bytes: number): Promise<void> {
  const name = nameOf(index);
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { name }, data: 'x'.repeat(bytes) };
  const value = Buffer.from(JSON.stringify(object));
  const success = [{ type: 'put', key: PREFIX + name, value } as const];
  await member.txn({ compare: [], success });
}

async function world({ objects, objectBytes, bytesPerMs }: WorldOptions): Promise<World> {
  const runtime = new VirtualRuntime();
  const member = new SlowMember({ runtime, bytesPerMs });
  for (let index = 0; index < objects; index += 1) await put(member, index, objectBytes);
  const storage = new KeyValueStorage({ store: member, resourcePrefix: PREFIX, runtime });
  return { runtime, member, storage };
}

function namesOf({ items }: StorageList<KubernetesObject>): (string | undefined)[] {
  return items.map(({ object }) => object.metadata?.name);
}

async function failure(work: Promise<unknown>): Promise<EtcdError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.an.instanceOf(EtcdError);
  return error as EtcdError;
}

describe('a collection in an etcd that takes long for it', () => {
  it('is read in pages that halve until one comes in time, also from one read to the next', async () => {
    const { runtime, member } = await world(SLOW);
    const error = await failure(runtime.run(() => member.range({ ...RANGE, limit: 10_000 })));
    expect(error.message).to.include('the next read asks for 31 keys');
    const { items, more } = await runtime.run(() => member.range({ ...RANGE, limit: 10_000 }));
    expect(member.asked.map(({ limit, answered }) => [limit, answered])).to.deep.equal([
      [500, false],
      [250, false],
      [125, false],
      [62, false],
      [31, false],
      [15, true],
    ]);
    expect([items.length, more]).to.deep.equal([15, true]);
  });

  it('times out with the request, for any page size', async () => {
    const { runtime, member } = await world(SLOW);
    const beganMs = runtime.monotonicMs();
    await failure(runtime.run(() => member.range(RANGE)));
    expect(runtime.monotonicMs() - beganMs).to.be.within(9000, 10_000);
  });

  it('has larger pages again when the member is quick again', async () => {
    const { runtime, member } = await world(SLOW);
    await failure(runtime.run(() => member.range(RANGE)));
    member.bytesPerMs = 1000 * KB;
    for (const limit of [31, 62]) {
      await runtime.run(() => member.range(RANGE));
      expect(member.asked.at(-1)).to.deep.equal({ key: PREFIX, limit, answered: true });
    }
  });

  it('fills a watch cache, which is ready for all that follows', async () => {
    const { runtime, member, storage } = await world(SLOW);
    const cacher = new Cacher({
      storage,
      resourcePrefix: PREFIX,
      runtime,
      readyTimeoutMs: 600_000,
      consistencyCheckIntervalMs: 0,
    });
    const list = await runtime.run(() => cacher.getList(PREFIX, { resourceVersion: '0' }));
    expect(list.items).to.have.length(SLOW.objects);
    const pages = member.asked.filter(({ answered, limit }) => answered && limit > 1);
    expect(pages.length).to.be.greaterThan(2);
    await runtime.run(cacher.close());
  });

  it('is listed in one call of the storage, at one revision, with a limit or without', async () => {
    const { runtime, member, storage } = await world(SLOW);
    await failure(runtime.run(() => storage.getList(PREFIX)));
    const { revision } = await member.status();
    let writes = 0;
    member.onAnswer = () => {
      writes += 1;
      void put(member, SLOW.objects + writes, 1);
    };
    const whole = await runtime.run(() => storage.getList(PREFIX));
    expect(namesOf(whole)).to.have.length(SLOW.objects);
    expect(whole.resourceVersion).to.equal(String(revision));
    expect(writes).to.be.greaterThan(2);
    member.onAnswer = () => {};
    const first = await runtime.run(() => storage.getList(PREFIX, { limit: 45 }));
    expect(namesOf(first)).to.deep.equal(namesOf(whole).slice(0, 45));
    expect(first.remainingItemCount).to.equal(SLOW.objects + writes - 45);
    const { continueToken } = first;
    const rest = await runtime.run(() => storage.getList(PREFIX, { continueToken, limit: 100 }));
    expect(namesOf(rest)).to.have.length(SLOW.objects + writes - 45);
    expect(rest.continueToken).to.equal(undefined);
  });

  it('is listed with a predicate and a limit as without paging', async () => {
    const { runtime, storage } = await world(SLOW);
    await failure(runtime.run(() => storage.getList(PREFIX)));
    const predicate: SelectionPredicate = {
      labels: parseLabelSelector(''),
      fields: parseFieldSelector('metadata.name!=thing-00003'),
      attributesOf: ({ metadata }) => ({
        labels: metadata?.labels,
        fields: { 'metadata.name': metadata?.name ?? '' },
      }),
    };
    const list = await runtime.run(() => storage.getList(PREFIX, { limit: 45, predicate }));
    const names = Array.from({ length: 46 }, (_, index) => nameOf(index));
    expect(namesOf(list)).to.deep.equal(names.filter((name) => name !== 'thing-00003'));
    expect(list.continueToken).to.be.a('string');
  });

  it('fails with the collection, what was read, and the remedy, when a single object is too large', async () => {
    const { runtime, member } = await world({
      objects: 2,
      objectBytes: 1000 * KB,
      bytesPerMs: 200,
    });
    const read = (): Promise<EtcdError> =>
      failure(runtime.run(() => member.range({ ...RANGE, limit: 10_000 })));
    let error = await read();
    while (member.asked.at(-1)?.limit !== 1) error = await read();
    error = await read();
    expect(error.code).to.equal('STORE_UNAVAILABLE');
    expect(error.outcome).to.equal('none');
    expect(error.message).to.equal(
      'etcd did not answer a read of "/registry/things/" (asked member:2379): the member did not answer in time; nothing was changed; the last page was of 1 key, and none was answered before; raise memberTimeoutMs and requestTimeoutMs, or find out why the member or the network is slow',
    );
  });
});

describe('a collection of small objects in etcd', () => {
  it('costs one request up to 500, and a few for thousands', async () => {
    const { runtime, member, storage } = await world({
      objects: 5000,
      objectBytes: 10,
      bytesPerMs: 10_000,
    });
    const list = await runtime.run(() => storage.getList(PREFIX));
    expect(list.items).to.have.length(5000);
    expect(member.asked.map(({ limit }) => limit)).to.deep.equal([500, 1000, 2000, 4000]);
    await runtime.run(() => storage.getList(PREFIX));
    expect(member.asked.slice(4).map(({ limit }) => limit)).to.deep.equal([4000, 8000]);
  });

  it('is read as before where the reader does not take a part', async () => {
    const { runtime, member } = await world({ objects: 700, objectBytes: 10, bytesPerMs: 10_000 });
    const { rangeEnd } = RANGE;
    const { items, more } = await runtime.run(() => member.range({ key: PREFIX, rangeEnd }));
    expect([items.length, more]).to.deep.equal([700, false]);
    expect(member.asked).to.have.length(1);
  });
});
