import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import { EtcdKeyValueStore } from '../../../lib/server/etcd/etcd-key-value-store.ts';
import { describeKeyValueStore } from '../../../lib/conformance/key-value/key-value-conformance.ts';
import type { KeyValueHarness } from '../../../lib/conformance/key-value/key-value-under-test.ts';
import { etcdBinaries, EtcdMember } from '../../support/etcd.ts';

/** Known faults of older members. */
function defectsOf(binary: string): Record<string, string> {
  const output = execFileSync(binary, ['--version'], { encoding: 'utf8' });
  const [, minor = 0, patch = 0] = /Version: 3\.(\d+)\.(\d+)/.exec(output)?.map(Number) ?? [];
  const losesDeletions = (minor === 4 && patch < 34) || (minor === 5 && patch < 16);
  return losesDeletions
    ? { 'still delivers a deletion at the compacted revision': 'this etcd loses it (etcd #18089)' }
    : {};
}

for (const binary of etcdBinaries()) {
  describe(`key-value contract on ${binary}`, () => {
    let member: EtcdMember;

    before(async () => {
      member = await EtcdMember.start({ binary });
    });

    after(async () => {
      await member?.close();
    });

    async function open(): Promise<KeyValueHarness> {
      const store = await EtcdKeyValueStore.connect({ endpoints: [member.url] });
      const everything = { type: 'delete', key: '', rangeEnd: '\u{10ffff}' } as const;
      await store.txn({ compare: [], success: [everything] });
      return { store, runtime: realRuntime, run: (work) => work(), close: () => store.close() };
    }

    it('begins at revision 1 with nothing compacted', async () => {
      const store = await EtcdKeyValueStore.connect({ endpoints: [member.url] });
      expect(await store.status()).to.deep.equal({ revision: 1n, compactedRevision: 0n });
      await store.close();
    });

    describeKeyValueStore('EtcdKeyValueStore', { describe, it, open, defects: defectsOf(binary) });
  });
}
