import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';

async function failure(work: Promise<unknown>): Promise<Error> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.an.instanceOf(Error);
  return error as Error;
}

describe('a snapshot file', () => {
  let folder: string;
  let path: string;
  let store: EmbeddedKeyValueStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'listwatch-snapshot-'));
    path = join(folder, 'state.snapshot');
    store = new EmbeddedKeyValueStore();
    await put('a', 'first');
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function put(key: string, value: string | Uint8Array): Promise<void> {
    const success = [{ type: 'put', key, value: Buffer.from(value) } as const];
    await store.txn({ compare: [], success });
  }

  async function valueIn(file: string): Promise<string | undefined> {
    await using loaded = await EmbeddedKeyValueStore.load(file);
    const [kv] = (await loaded.range({ key: 'a' })).items;
    return kv === undefined ? undefined : Buffer.from(kv.value).toString();
  }

  it('holds the state, for its owner only, and nothing lies beside it', async () => {
    const { revision, bytes } = await store.saveSnapshot(path);
    expect(revision).to.equal(2n);
    const { size, mode } = await stat(path);
    expect([size, mode & 0o777]).to.deep.equal([bytes, 0o600]);
    expect(await readdir(folder)).to.deep.equal(['state.snapshot']);
    expect(await valueIn(path)).to.equal('first');
  });

  it('takes the place of the one before only when it is whole', async () => {
    await store.saveSnapshot(path);
    await put('a', 'second');
    await put('b', new Uint8Array(1_000_000));
    const abort = new AbortController();
    const saving = store.saveSnapshot(path, { signal: abort.signal });
    abort.abort();
    expect((await failure(saving)).name).to.equal('AbortError');
    expect(await readdir(folder)).to.deep.equal(['state.snapshot']);
    expect(await valueIn(path)).to.equal('first');
    await store.saveSnapshot(path);
    expect(await valueIn(path)).to.equal('second');
  });

  it('may be written by two at once; one of them stays, whole', async () => {
    await Promise.all([store.saveSnapshot(path), store.saveSnapshot(path)]);
    expect(await readdir(folder)).to.deep.equal(['state.snapshot']);
    expect(await valueIn(path)).to.equal('first');
  });

  it('is named where it cannot be written, read or believed', async () => {
    const nowhere = join(folder, 'missing', 'state.snapshot');
    for (const work of [
      () => store.saveSnapshot(nowhere),
      () => store.saveSnapshot(folder),
      () => EmbeddedKeyValueStore.load(nowhere),
      () => EmbeddedKeyValueStore.load(folder),
    ]) {
      const error = await failure(work());
      expect(error).to.include({ code: 'SNAPSHOT_FILE' });
      expect(error.message).to.include(folder);
    }
    await store.saveSnapshot(path);
    await writeFile(path, (await readFile(path)).subarray(0, 100));
    const error = await failure(EmbeddedKeyValueStore.load(path));
    expect(error).to.include({ code: 'SNAPSHOT_INVALID' });
    expect(error.message).to.match(new RegExp(`^the snapshot ${path}: it is cut off .*100 bytes`));
    expect(await readdir(folder)).to.deep.equal(['state.snapshot']);
  });

  it('keeps values larger than a frame', async () => {
    const large = Buffer.alloc(1_400_000, 'large');
    await put('b', large);
    await store.saveSnapshot(path);
    await using loaded = await EmbeddedKeyValueStore.load(path);
    const [kv] = (await loaded.range({ key: 'b' })).items;
    expect(Buffer.compare(large, kv?.value ?? Buffer.of())).to.equal(0);
  });
});
