import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { isProtobuf, PROTOBUF_MEDIA_TYPE } from '../../../lib/meta/protobuf/envelope.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { ApiServerOptions } from '../../../lib/server/api/api-server-options.ts';
import { EmbeddedKeyValueStore } from '../../../lib/server/mvcc/embedded-key-value-store.ts';
import { prefixEnd } from '../../../lib/server/mvcc/contract/key-value-store.ts';
import { apiRequest } from './support.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

interface Stored {
  readonly key: string;
  readonly value: Uint8Array;
}

/** Runs with a server over a store that outlives it. */
async function withServer(
  options: ApiServerOptions,
  run: (
    send: (method: string, url: string, body?: object) => Promise<UnstructuredObject>,
  ) => Promise<void>,
): Promise<void> {
  await using server = new ApiServer(options);
  await run(async (method, url, body) => {
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const answer = await server.handler(apiRequest(method, url, { body: bytes, headers }));
    const pieces: Uint8Array[] = [];
    if (answer.body instanceof Uint8Array) pieces.push(answer.body);
    else for await (const piece of answer.body) pieces.push(piece);
    return JSON.parse(Buffer.concat(pieces).toString()) as UnstructuredObject;
  });
}

async function storedUnder(store: EmbeddedKeyValueStore, prefix: string): Promise<Stored[]> {
  const { items } = await store.range({ key: prefix, rangeEnd: prefixEnd(prefix) });
  return [...items];
}

function configMap(name: string, data: Record<string, string>): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

describe('storageMediaType', () => {
  it('has a server write protobuf, which a server that writes JSON reads, and the other way round', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      await using store = new EmbeddedKeyValueStore({ runtime });
      const options = { runtime, keyValueStore: store };
      const protobuf = { ...options, storageMediaType: PROTOBUF_MEDIA_TYPE } as const;
      let made: UnstructuredObject | undefined;
      await withServer(protobuf, async (send) => {
        made = await send('POST', MAPS, configMap('a', { key: 'größe' }));
        expect(made['data']).to.deep.equal({ key: 'größe' });
      });
      const [first] = await storedUnder(store, '/registry/configmaps/default/a');
      expect(isProtobuf(first!.value)).to.equal(true);
      await withServer(options, async (send) => {
        expect(await send('GET', `${MAPS}/a`)).to.deep.equal(made);
        await send('POST', MAPS, configMap('b', { key: 'json' }));
        await send('PUT', `${MAPS}/a`, configMap('a', { key: 'new' }));
      });
      const [second] = await storedUnder(store, '/registry/configmaps/default/a');
      expect(isProtobuf(second!.value)).to.equal(false);
      await withServer(protobuf, async (send) => {
        const { items } = (await send('GET', MAPS)) as unknown as {
          readonly items: readonly UnstructuredObject[];
        };
        expect(items.map(({ data }) => data)).to.deep.equal([{ key: 'new' }, { key: 'json' }]);
      });
    });
  });

  it('is not needed to serve what a kube-apiserver stored', async () => {
    const path = '/apis/apps/v1/namespaces/protobuf-record/deployments/protobuf-record';
    const recorded = readFileSync(
      resolve(import.meta.dirname, '../../meta/protobuf/recorded.jsonl'),
      'utf8',
    );
    const line = recorded.split('\n').find((one) => one.startsWith(`{"path":"${path}",`));
    const { json, protobuf } = JSON.parse(line!) as { json: UnstructuredObject; protobuf: string };
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      await using store = new EmbeddedKeyValueStore({ runtime });
      const key = '/registry/deployments/protobuf-record/protobuf-record';
      const put = { type: 'put', key, value: Buffer.from(protobuf, 'base64') } as const;
      const { revision } = await store.txn({ compare: [], success: [put], failure: [] });
      await withServer({ runtime, keyValueStore: store }, async (send) => {
        const metadata = { ...json.metadata, resourceVersion: String(revision) };
        expect(await send('GET', path)).to.deep.equal({ ...json, metadata });
      });
    });
  });

  it('refuses another media type', () => {
    const options = { storageMediaType: 'application/cbor' } as unknown as ApiServerOptions;
    expect(() => new ApiServer(options))
      .to.throw(`option "storageMediaType" must be 'application/json' or`)
      .with.property('code', 'INVALID_OPTION');
  });
});
