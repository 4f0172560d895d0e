import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { ApiError } from '../../../lib/meta/failure/api-error.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { failureOf } from '../support/failure-of.ts';

const NAMES = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5'];

/** The answer of kube-apiserver 1.36.3 for a token whose revision etcd has compacted, without the new token. */
const RECORDED = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message:
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue ' +
    'parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided ' +
    'token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was ' +
    'returned and now may show up in the list.',
  reason: 'Expired',
  code: 410,
};

interface World extends AsyncDisposable {
  /** In the middle of a page, an object is created, one is deleted, and the history is compacted. */
  iterate(onExpired: 'fail' | 'continue', seen: string[]): Promise<void>;
}

/** Events, which kube-apiserver reads from etcd: it answers pages of other resources from its cache, also after a compaction. */
async function world(): Promise<World> {
  const store = new EmbeddedKeyValueStore();
  const server = new ApiServer({ keyValueStore: store, logger: silentLogger });
  await server.listen();
  const client = await connect({ ...server.clientConfig(), logger: silentLogger });
  const events = client.resource<UnstructuredObject>('v1', 'events', { namespace: 'default' });
  const create = async (name: string): Promise<string> => {
    const involvedObject = { namespace: 'default' };
    const { metadata } = await events.create({ metadata: { name }, involvedObject });
    return metadata.resourceVersion;
  };
  for (const name of NAMES) await create(name);
  return {
    iterate: async (onExpired, seen) => {
      for await (const { metadata } of events.items({ limit: 2, onExpired })) {
        seen.push(metadata.name);
        if (seen.length > 1) continue;
        await events.delete('m5');
        await store.compact(BigInt(await create('new')));
      }
    },
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server.close();
      await store.close();
    },
  };
}

describe('a page token that expires in the middle of an iteration', () => {
  it('ends it after the items before with EXPIRED, and the answer is that of kube-apiserver', async () => {
    await using one = await world();
    const seen: string[] = [];
    const error = (await failureOf(one.iterate('fail', seen))) as ApiError;
    expect(seen).to.deep.equal(['m0', 'm1']);
    expect(error).to.include({ code: 'EXPIRED', name: 'ApiError' });
    expect(error.message)
      .to.match(/^list events in namespace "default" .*onExpired: 'continue' to go on/)
      .and.not.include('\n');
    const { metadata, ...status } = error.status;
    expect(status).to.deep.equal(RECORDED);
    const token: unknown = JSON.parse(Buffer.from(metadata?.continue ?? '', 'base64').toString());
    expect(token).to.deep.equal({ v: 'meta.k8s.io/v1', rv: -1, start: 'm1\u0000' });
  });

  it("goes on with the newest state with onExpired: 'continue', each item once, as with kube-apiserver", async () => {
    await using one = await world();
    const seen: string[] = [];
    await one.iterate('continue', seen);
    expect(seen).to.deep.equal(['m0', 'm1', 'm2', 'm3', 'm4', 'new']);
  });
});
