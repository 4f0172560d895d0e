import { expect } from 'chai';
import { CountingKeyValueStore } from '../../../../lib/conformance/storage/counting-key-value-store.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import type { StoredObject } from '../../../../lib/server/storage/contract/stored-object.ts';

type Thing = KubernetesObject & { readonly value: number };

const KEY = '/things/a';

class Setup {
  readonly store = new CountingKeyValueStore(
    new EmbeddedKeyValueStore({ runtime: new VirtualRuntime() }),
  );
  readonly storage = new KeyValueStorage<Thing>({ store: this.store, resourcePrefix: '/things' });
  /** The values `validate` was shown. */
  readonly shown: number[] = [];

  async write(value: number): Promise<StoredObject<Thing>> {
    return await this.storage.guaranteedUpdate(
      KEY,
      () => ({ object: { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' }, value } }),
      { ignoreNotFound: true },
    );
  }

  async value(): Promise<number | undefined> {
    return (await this.storage.get(KEY, { ignoreNotFound: true }))?.object.value;
  }

  /** Refuses while `refuses` says so. */
  validate = (refuses: (value: number) => boolean) => (object: Thing) => {
    this.shown.push(object.value);
    if (refuses(object.value)) throw new Error(`value ${object.value} has to stay`);
  };

  /** The range requests that `work` makes, and its error, if it ends in one. */
  async observe(work: () => Promise<unknown>): Promise<{ ranges: number; message: string }> {
    const before = this.store.ranges;
    const message = await work().then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
    return { ranges: this.store.ranges - before, message };
  }
}

describe('conditionalDelete', () => {
  let setup: Setup;

  beforeEach(() => {
    setup = new Setup();
  });

  it('reads nothing when the cached object is the present one', async () => {
    const cachedExisting = await setup.write(1);
    const validate = setup.validate(() => false);
    const seen = await setup.observe(() => setup.storage.delete(KEY, { cachedExisting, validate }));
    expect(seen).to.deep.equal({ ranges: 0, message: '' });
    expect(setup.shown).to.deep.equal([1]);
    expect(await setup.value()).to.equal(undefined);
  });

  it('reads once without a cached object', async () => {
    await setup.write(1);
    const seen = await setup.observe(() => setup.storage.delete(KEY));
    expect(seen).to.deep.equal({ ranges: 1, message: '' });
  });

  it('checks a refusal that rests on the cache once, and shows the same state once', async () => {
    const cachedExisting = await setup.write(1);
    const validate = setup.validate(() => true);
    const seen = await setup.observe(() => setup.storage.delete(KEY, { cachedExisting, validate }));
    expect(seen).to.deep.equal({ ranges: 1, message: 'value 1 has to stay' });
    expect(setup.shown).to.deep.equal([1]);
    expect(await setup.value()).to.equal(1);
  });

  it('asks again on the live state when the cached object was another one', async () => {
    const cachedExisting = await setup.write(1);
    await setup.write(2);
    const validate = setup.validate((value) => value === 1);
    const seen = await setup.observe(() => setup.storage.delete(KEY, { cachedExisting, validate }));
    expect(seen).to.deep.equal({ ranges: 1, message: '' });
    expect(setup.shown).to.deep.equal([1, 2]);
    expect(await setup.value()).to.equal(undefined);
  });

  it('takes a refusal of the live state at its word', async () => {
    const cachedExisting = await setup.write(1);
    await setup.write(2);
    const validate = setup.validate(() => true);
    const seen = await setup.observe(() => setup.storage.delete(KEY, { cachedExisting, validate }));
    expect(seen).to.deep.equal({ ranges: 1, message: 'value 2 has to stay' });
    expect(setup.shown).to.deep.equal([1, 2]);
  });

  it('takes a refusal of what a lost race found at its word, without another read', async () => {
    const cachedExisting = await setup.write(1);
    await setup.write(2);
    const validate = setup.validate((value) => value === 2);
    const seen = await setup.observe(() => setup.storage.delete(KEY, { cachedExisting, validate }));
    expect(seen).to.deep.equal({ ranges: 0, message: 'value 2 has to stay' });
    expect(setup.shown).to.deep.equal([1, 2]);
    expect(await setup.value()).to.equal(2);
  });

  it('goes on with what a lost race found, as often as it takes', async () => {
    const cachedExisting = await setup.write(0);
    let writes = 0;
    const validate = async (object: Thing): Promise<void> => {
      setup.shown.push(object.value);
      if (writes < 3) await setup.write((writes += 1));
    };
    const deleted = await setup.storage.delete(KEY, { cachedExisting, validate });
    expect(setup.shown).to.deep.equal([0, 1, 2, 3]);
    expect(deleted.object.value).to.equal(3);
    expect(Number(deleted.resourceVersion)).to.be.greaterThan(
      Number(cachedExisting.resourceVersion),
    );
  });

  it('ends with KEY_NOT_FOUND when a lost race has deleted the object', async () => {
    await setup.write(1);
    const validate = async (): Promise<void> => void (await setup.storage.delete(KEY));
    const error: unknown = await setup.storage
      .delete(KEY, { validate })
      .catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'KEY_NOT_FOUND' });
  });

  it('stops between two tries when its signal aborts', async () => {
    await setup.write(1);
    const stopper = new AbortController();
    const validate = async (): Promise<void> => {
      stopper.abort(new Error('enough'));
      await setup.write(2);
    };
    const { signal } = stopper;
    const seen = await setup.observe(() => setup.storage.delete(KEY, { validate, signal }));
    expect(seen.message).to.equal('enough');
    expect(await setup.value()).to.equal(2);
  });
});
