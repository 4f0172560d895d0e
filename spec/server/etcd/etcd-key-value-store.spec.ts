import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { EtcdKeyValueStore } from '../../../lib/server/etcd/etcd-key-value-store.ts';
import { EtcdError } from '../../../lib/server/etcd/etcd-error.ts';
import {
  prefixEnd,
  type KeyValueWatch,
  type KeyValueStore,
  type Revision,
} from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { etcdBinaries, EtcdMember } from '../../support/etcd.ts';

const PREFIX = '/specs/';

async function put(store: KeyValueStore, key: string, value: string | Buffer): Promise<Revision> {
  const success = [{ type: 'put', key, value: Buffer.from(value) } as const];
  return (await store.txn({ compare: [], success })).revision;
}

/** Reads `count` events. */
async function take(watch: KeyValueWatch, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const batch of watch) {
    for (const message of batch) {
      if (message.type !== 'event') continue;
      const { type, kv } = message.event;
      seen.push(`${type} ${kv.key.slice(PREFIX.length)}@${kv.modRevision}`);
    }
    if (seen.length >= count) break;
  }
  return seen;
}

async function failure(work: Promise<unknown>): Promise<EtcdError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.an.instanceOf(EtcdError);
  return error as EtcdError;
}

const RANGE = { key: PREFIX, rangeEnd: prefixEnd(PREFIX) } as const;

for (const binary of etcdBinaries()) {
  describe(`EtcdKeyValueStore on ${binary}`, () => {
    it('goes on watching behind the last event when the member was killed and came back', async () => {
      await using member = await EtcdMember.start({ binary });
      await using store = await EtcdKeyValueStore.connect({ endpoints: [member.url] });
      const watch = await store.watch({ ...RANGE });
      const reading = take(watch, 6);
      for (const name of ['a', 'b', 'c']) await put(store, PREFIX + name, 'before');
      await member.kill();
      await member.restart();
      for (const name of ['d', 'e', 'f']) await put(store, PREFIX + name, 'after');
      const first = watch.startedAt + 1n;
      expect(await reading).to.deep.equal(
        ['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) => `put ${name}@${first + BigInt(index)}`),
      );
    });

    it('reads thousands of events from the past in order, each once, also across a kill', async () => {
      await using member = await EtcdMember.start({ binary });
      await using store = await EtcdKeyValueStore.connect({ endpoints: [member.url] });
      const writes = Array.from({ length: 3000 }, (_, index) => index);
      for (let index = 0; index < writes.length; index += 100) {
        await Promise.all(
          writes.slice(index, index + 100).map((one) => put(store, `${PREFIX}${one % 50}`, 'x')),
        );
      }
      const { revision } = await store.status();
      const watch = await store.watch({ ...RANGE, startRevision: revision - 2999n });
      const seen: Revision[] = [];
      for await (const batch of watch) {
        for (const message of batch) {
          if (message.type === 'event') seen.push(message.event.kv.modRevision);
        }
        if (seen.length > 0 && seen.length < 3000 && seen.length % 2 === 0) {
          await member.kill();
          await member.restart();
        }
        if (seen.length >= 3000) break;
      }
      expect(seen).to.deep.equal(writes.map((one) => revision - 2999n + BigInt(one)));
    });

    it('ends a watch whose place was compacted away while the member was down', async () => {
      await using member = await EtcdMember.start({ binary });
      await using store = await EtcdKeyValueStore.connect({ endpoints: [member.url] });
      await put(store, `${PREFIX}a`, '1');
      const { revision } = await store.status();
      await put(store, `${PREFIX}a`, '2');
      const last = await put(store, `${PREFIX}a`, '3');
      await store.compact(last);
      const watch = await store.watch({ ...RANGE, startRevision: revision });
      const error: unknown = await take(watch, 1).catch((reason: unknown) => reason);
      expect(isListwatchError(error, 'COMPACTED'), String(error)).to.equal(true);
      expect((error as Error).message).to.include(`oldest kept revision is ${last}`);
    });

    it('asks the next member when one is gone, and the one that is back when the next one is gone', async () => {
      await using member = await EtcdMember.start({ binary });
      const unreachable = 'http://127.0.0.1:1';
      await using store = await EtcdKeyValueStore.connect({ endpoints: [unreachable, member.url] });
      await put(store, `${PREFIX}a`, '1');
      expect((await store.range({ ...RANGE })).count).to.equal(1);
    });

    it('says that no member answers, which ones it asked, and the outcome of the write', async () => {
      const member = await EtcdMember.start({ binary });
      await using store = await EtcdKeyValueStore.connect({
        endpoints: [member.url],
        requestTimeoutMs: 1000,
        memberTimeoutMs: 300,
      });
      await member.freeze();
      const unknown = await failure(put(store, `${PREFIX}a`, 'secret-value'));
      expect(unknown.code).to.equal('STORE_UNAVAILABLE');
      expect(unknown.outcome).to.equal('unknown');
      expect(unknown.message).to.include(new URL(member.url).host);
      expect(unknown.message).to.include('not known whether it was carried out');
      expect(unknown.message).to.not.include('secret-value');
      member.thaw();
      await member.close();
      const refused = await failure(put(store, `${PREFIX}a`, '1'));
      expect(refused.code).to.equal('STORE_UNAVAILABLE');
      const read = await failure(store.range({ ...RANGE }));
      expect(read.outcome).to.equal('none');
    });

    it('keeps values of the largest size, and refuses larger ones by name', async () => {
      await using member = await EtcdMember.start({ binary });
      await using store = await EtcdKeyValueStore.connect({ endpoints: [member.url] });
      const value = Buffer.alloc(1_500_000, 7);
      for (const name of ['a', 'b', 'c', 'd', 'e']) await put(store, PREFIX + name, value);
      const { items } = await store.range({ ...RANGE });
      expect(items.map((item) => Buffer.compare(Buffer.from(item.value), value))).to.deep.equal([
        0, 0, 0, 0, 0,
      ]);
      const error = await failure(put(store, `${PREFIX}f`, Buffer.alloc(2_000_000)));
      expect(error.code).to.equal('VALUE_TOO_LARGE');
      expect(error.message).to.include('/specs/f');
    });

    it('signs in with user and password, again when the token has expired', async () => {
      await using member = await EtcdMember.start({ binary, flags: ['--auth-token-ttl=1'] });
      await member.enableAuthentication({ username: 'root', password: 'pass-word-1' });
      const wrong = await failure(
        EtcdKeyValueStore.connect({
          endpoints: [member.url],
          credentials: { username: 'root', password: 'pass-word-2' },
        }),
      );
      expect(wrong.code).to.equal('STORE_FORBIDDEN');
      expect(wrong.message).to.not.include('pass-word-2');
      const none = await failure(EtcdKeyValueStore.connect({ endpoints: [member.url] }));
      expect(none.code).to.equal('STORE_FORBIDDEN');
      await using store = await EtcdKeyValueStore.connect({
        endpoints: [member.url],
        credentials: { username: 'root', password: 'pass-word-1' },
      });
      await put(store, `${PREFIX}a`, '1');
      await member.kill();
      // Simple tokens live in the member's memory.
      await member.restart();
      await put(store, `${PREFIX}a`, '2');
      expect((await store.range({ ...RANGE })).items[0]?.version).to.equal(2n);
    });
  });
}

if (etcdBinaries().length === 0) {
  console.log(
    '      etcd: no binary on PATH or in LISTWATCH_ETCD; the specs of EtcdKeyValueStore are skipped',
  );
}
