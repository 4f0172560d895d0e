import { execFileSync } from 'node:child_process';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { Cacher } from '../../../lib/server/cacher/cacher.ts';
import { EtcdKeyValueStore } from '../../../lib/server/etcd/etcd-key-value-store.ts';
import { hasTrustworthyProgress } from '../../../lib/server/etcd/etcd-key-value-store.ts';
import { KeyValueStorage } from '../../../lib/server/storage/key-value-storage.ts';
import {
  CONFORMANCE_PREFIX,
  type ConformancePod,
} from '../../../lib/conformance/storage/conformance-pod.ts';
import { CountingKeyValueStore } from '../../../lib/conformance/storage/counting-key-value-store.ts';
import { describeStorage } from '../../../lib/conformance/storage/storage-conformance.ts';
import type { StorageHarness } from '../../../lib/conformance/storage/storage-under-test.ts';
import { SwitchableTransformer } from '../../../lib/conformance/storage/switchable-transformer.ts';
import { etcdBinaries, EtcdMember } from '../../support/etcd.ts';

const runtime = realRuntime;
const resourcePrefix = CONFORMANCE_PREFIX;

/** The arguments of the suites, known before a member runs. */
function versionOf(binary: string): string {
  const answer = execFileSync(binary, ['--version'], { encoding: 'utf8' });
  return /etcd Version: (\S+)/.exec(answer)?.[1] ?? '';
}

for (const binary of etcdBinaries()) {
  describe(`storage on ${binary}`, () => {
    let member: EtcdMember;

    before(async () => {
      member = await EtcdMember.start({ binary });
    });

    after(async () => {
      await member?.close();
    });

    async function openRaw(): Promise<StorageHarness> {
      const etcd = await EtcdKeyValueStore.connect({ endpoints: [member.url] });
      const store = new CountingKeyValueStore(etcd);
      const everything = { type: 'delete', key: '', rangeEnd: '\u{10ffff}' } as const;
      await store.txn({ compare: [], success: [everything] });
      const transformer = new SwitchableTransformer();
      const storage = new KeyValueStorage<ConformancePod>({
        store,
        resourcePrefix,
        transformer,
        runtime,
      });
      return {
        storage,
        store,
        transformer,
        runtime,
        cached: false,
        run: (work) => work(),
        close: () => store.close(),
      };
    }

    async function openCached(): Promise<StorageHarness> {
      const raw = await openRaw();
      const cacher = new Cacher<ConformancePod>({
        storage: raw.storage,
        resourcePrefix,
        runtime,
      });
      const close = async (): Promise<void> => {
        await cacher.close();
        await raw.close();
      };
      const forgetHistory = (resourceVersion: string): Promise<void> =>
        cacher.forgetHistory(resourceVersion);
      return { ...raw, storage: cacher, cached: true, forgetHistory, close };
    }

    const supportsProgress = hasTrustworthyProgress(versionOf(binary));
    const onLeftOut = (title: string, because: string): void => {
      console.log(`${binary}: left out "${title}": ${because}`);
    };
    const suite = { describe, it, supportsProgress, onLeftOut };
    describeStorage('KeyValueStorage', { ...suite, open: openRaw, cached: false });
    describeStorage('Cacher', { ...suite, open: openCached, cached: true });
  });
}
