import { expect } from 'chai';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import type { StoredObject } from '../../../../lib/server/storage/contract/stored-object.ts';
import type { Transformer } from '../../../../lib/server/storage/value/transformer.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';

type Thing = KubernetesObject & { readonly value: number };

const KEY = '/things/a';

class Setup {
  readonly store = new EmbeddedKeyValueStore({ runtime: new VirtualRuntime() });
  readonly storage: KeyValueStorage<Thing>;
  /** The values that updates were shown. */
  readonly shown: (number | undefined)[] = [];
  ranges = 0;
  /** Called before each transaction. */
  beforeTxn: () => void = () => {};

  constructor(options: { readonly transformer?: Transformer } = {}) {
    const { store } = this;
    this.storage = new KeyValueStorage<Thing>({ store, resourcePrefix: '/things', ...options });
    const range = store.range.bind(store);
    store.range = async (request) => {
      this.ranges += 1;
      return await range(request);
    };
    const txn = store.txn.bind(store);
    store.txn = async (request) => {
      this.beforeTxn();
      return await txn(request);
    };
  }

  async write(value: number): Promise<StoredObject<Thing>> {
    return await this.update(() => value, {});
  }

  /** Sets the value that `next` computes; `undefined` from it refuses. */
  async update(
    next: (value: number | undefined) => number | undefined,
    options: { readonly cachedExisting?: StoredObject<Thing> },
  ): Promise<StoredObject<Thing>> {
    return await this.storage.guaranteedUpdate(
      KEY,
      ({ existing }) => {
        this.shown.push(existing?.value);
        const value = next(existing?.value);
        if (value === undefined) throw new Error(`value ${existing?.value} has to stay`);
        return { object: { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, value } };
      },
      { ignoreNotFound: true, ...options },
    );
  }

  /** Forgets what was seen up to now. */
  clear(): void {
    this.shown.length = 0;
    this.ranges = 0;
  }
}

const failureOf = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => 'none',
    (error: unknown) => (error as Error).message,
  );

describe('guaranteedUpdate', () => {
  let setup: Setup;

  beforeEach(() => {
    setup = new Setup();
  });

  it('makes the private copy of an object when it is read, and only one', async () => {
    const cachedExisting = await setup.write(1);
    const { object } = cachedExisting;
    let copies = 0;
    const copy = cachedExisting.copy.bind(cachedExisting);
    cachedExisting.copy = () => {
      copies += 1;
      return copy();
    };
    await setup.storage.guaranteedUpdate(
      KEY,
      ({ stored }) => ({ object: { ...object, name: stored?.key } }),
      {
        cachedExisting,
      },
    );
    expect(copies).to.equal(0);
    await setup.storage.guaranteedUpdate(
      KEY,
      (input) => {
        expect(input.existing).to.equal(input.existing);
        expect(input.existing).not.to.equal(object);
        return { object: { ...object, value: 2 } };
      },
      { cachedExisting },
    );
    expect(copies).to.equal(1);
  });

  it('reads nothing when the cached object is the present one', async () => {
    const cachedExisting = await setup.write(1);
    setup.clear();
    const updated = await setup.update((value) => (value ?? 0) + 1, { cachedExisting });
    expect(updated.object.value).to.equal(2);
    expect([setup.shown, setup.ranges]).to.deep.equal([[1], 0]);
  });

  it('checks a refusal that rests on the cache, and does not ask again about the same state', async () => {
    const cachedExisting = await setup.write(1);
    setup.clear();
    const refused = await failureOf(setup.update(() => undefined, { cachedExisting }));
    expect(refused).to.equal('value 1 has to stay');
    expect([setup.shown, setup.ranges]).to.deep.equal([[1], 1]);
  });

  it('asks again about the live state when the cached object was another one', async () => {
    const cachedExisting = await setup.write(1);
    await setup.write(2);
    setup.clear();
    const next = (value: number | undefined): number | undefined => (value === 1 ? undefined : 3);
    const updated = await setup.update(next, { cachedExisting });
    expect(updated.object.value).to.equal(3);
    expect([setup.shown, setup.ranges]).to.deep.equal([[1, 2], 1]);
  });

  it('takes a refusal of the live state at its word', async () => {
    const cachedExisting = await setup.write(1);
    await setup.write(2);
    setup.clear();
    const refused = await failureOf(setup.update(() => undefined, { cachedExisting }));
    expect(refused).to.equal('value 2 has to stay');
    expect(setup.shown).to.deep.equal([1, 2]);
  });

  it('goes on with what a lost race found, without another read', async () => {
    const cachedExisting = await setup.write(1);
    await setup.write(5);
    setup.clear();
    const updated = await setup.update((value) => (value ?? 0) + 1, { cachedExisting });
    expect(updated.object.value).to.equal(6);
    expect([setup.shown, setup.ranges]).to.deep.equal([[1, 5], 0]);
  });

  it('checks against the live state that an update which changes nothing is one', async () => {
    const cachedExisting = await setup.write(1);
    const { resourceVersion } = await setup.write(2);
    setup.clear();
    const updated = await setup.update(() => 1, { cachedExisting });
    expect(updated.object.value).to.equal(1);
    expect(updated.resourceVersion).not.to.equal(cachedExisting.resourceVersion);
    expect(Number(updated.resourceVersion)).to.be.greaterThan(Number(resourceVersion));
    const same = await setup.update(() => 1, { cachedExisting: updated });
    expect(same.resourceVersion).to.equal(updated.resourceVersion);
  });

  it('computes an update again that changes nothing in the cached object, but would in the live one', async () => {
    const cachedExisting = await setup.write(1);
    const { resourceVersion } = await setup.write(2);
    setup.clear();
    const updated = await setup.update((value) => value, { cachedExisting });
    expect([setup.shown, setup.ranges]).to.deep.equal([[1, 2], 1]);
    expect(updated.object.value, 'the write in between is not lost').to.equal(2);
    expect(updated.resourceVersion).to.equal(resourceVersion);
  });

  it('takes a refusal at its word after such a check, without another read', async () => {
    const cachedExisting = await setup.write(1);
    await setup.write(2);
    setup.clear();
    const next = (value: number | undefined): number | undefined => (value === 2 ? undefined : 1);
    const refused = await failureOf(setup.update(next, { cachedExisting }));
    expect(refused).to.equal('value 2 has to stay');
    expect([setup.shown, setup.ranges]).to.deep.equal([[1, 2], 1]);
  });

  it('fails with what the engine fails with, and tries nothing again', async () => {
    await setup.write(1);
    setup.clear();
    setup.beforeTxn = () => {
      setup.beforeTxn = () => {};
      throw new Error('the disk is full');
    };
    expect(await failureOf(setup.update(() => 2, {}))).to.equal('the disk is full');
    expect(setup.shown).to.deep.equal([1]);
  });

  it('fails so, too, when it only writes the same content in another form', async () => {
    const transformer: Transformer = {
      toStorage: (data) => data,
      fromStorage: (data) => ({ data, stale: true }),
    };
    setup = new Setup({ transformer });
    await setup.write(1);
    setup.clear();
    let txns = 0;
    setup.beforeTxn = () => {
      txns += 1;
      if (txns < 3) throw new Error('the disk is full');
    };
    expect(await failureOf(setup.update(() => 1, {}))).to.equal('the disk is full');
    expect(txns).to.equal(1);
  });
});
