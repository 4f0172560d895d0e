import { expect } from 'chai';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { KubernetesVersion } from '../../../lib/meta/releases/kubernetes-releases.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { decodeObject } from '../../../lib/meta/protobuf/object-codec.ts';
import { parseShardSelector } from '../../../lib/meta/selectors/shard-selector.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS, GADGET, GADGETS, gadgets } from './gadgets.ts';
import { apiRequest } from './support.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const WIRES = `${GADGETS}/namespaces/default/gadgets`;
const HALF = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

interface List {
  readonly metadata: {
    readonly shardInfo?: { readonly selector: string };
    readonly continue?: string;
  };
  readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[];
}

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
  readonly body: List & { readonly message?: string; readonly reason?: string };
}

type Send = (method: string, url: string, body?: object, accept?: string) => Promise<Answer>;

const sharded = (path: string, selector: string = HALF, more: string = ''): string =>
  `${path}?shardSelector=${encodeURIComponent(selector)}${more}`;

/** A server with 20 config maps and 20 gadgets. */
async function withServer(
  on: boolean,
  run: (send: Send) => Promise<void>,
  version: KubernetesVersion = '1.37',
): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using server = new ApiServer({
      runtime,
      logger: silentLogger,
      featureGates: { ShardedListAndWatch: on },
      version,
    });
    const send: Send = async (method, url, body, accept = 'application/json') => {
      const given = { headers: { accept }, ...(body === undefined ? {} : { body }) };
      const answer = await server.handler(apiRequest(method, url, given));
      const pieces: Uint8Array[] = [];
      if (answer.body instanceof Uint8Array) pieces.push(answer.body);
      else for await (const piece of answer.body) pieces.push(piece);
      const bytes = Buffer.concat(pieces);
      const [line = ''] = accept === PROTOBUF ? ['{}'] : bytes.toString().split('\n', 1);
      return { status: answer.status, bytes, body: JSON.parse(line) as Answer['body'] };
    };
    await send('POST', DEFINITIONS, gadgets);
    for (let number = 0; number < 20; number += 1) {
      const metadata = { name: `map-${number}` };
      await send('POST', MAPS, { metadata });
      await send('POST', WIRES, { ...GADGET, metadata });
    }
    await run(send);
  });
}

const isIn = ({ metadata }: List['items'][number]): boolean =>
  parseShardSelector(HALF).matches(metadata);

describe('lists and watches of a shard', () => {
  it('have all objects while the gate is off, as in kube-apiserver 1.37: the parameter is ignored', async () => {
    await withServer(false, async (send) => {
      for (const selector of [HALF, 'bogus']) {
        const { status, body } = await send('GET', sharded(MAPS, selector));
        expect(status).to.equal(200);
        expect(body.items.length).to.equal(20);
        expect(body.metadata).to.not.have.property('shardInfo');
      }
      const watch = await send('GET', sharded(MAPS, 'bogus', '&watch=1&timeoutSeconds=1'));
      expect(watch.bytes.toString().trim().split('\n').length).to.equal(20);
    });
  });

  it('have all objects before 1.36, which has no such gate', async () => {
    await withServer(
      true,
      async (send) => {
        const { body } = await send('GET', sharded(MAPS, 'bogus'));
        expect(body.items.length).to.equal(20);
        expect(body.metadata).to.not.have.property('shardInfo');
      },
      '1.35',
    );
  });

  it('have the objects of the shard, and lists of built-in resources say it', async () => {
    await withServer(true, async (send) => {
      const all = (await send('GET', MAPS)).body.items;
      const { body } = await send('GET', sharded(MAPS, ` ${HALF}  `));
      expect(body.items).to.deep.equal(all.filter(isIn));
      expect(body.items.length).to.be.within(1, 19);
      expect(body.metadata.shardInfo).to.deep.equal({ selector: HALF });
      const { bytes } = await send('GET', sharded(MAPS), undefined, PROTOBUF);
      const list = decodeObject(bytes) as unknown as List;
      expect(list.metadata.shardInfo).to.deep.equal({ selector: HALF });
      expect(list.items.length).to.equal(body.items.length);
      const page = (await send('GET', sharded(MAPS, HALF, '&limit=2'))).body;
      expect(Object.keys(page.metadata)).to.deep.equal([
        'resourceVersion',
        'continue',
        'shardInfo',
      ]);
      const watch = await send('GET', sharded(MAPS, HALF, '&watch=1&timeoutSeconds=1'));
      expect(watch.bytes.toString().trim().split('\n').length).to.equal(body.items.length);
    });
  });

  it('say nothing of it as tables and metadata, and for custom resources, as in kube-apiserver', async () => {
    await withServer(true, async (send) => {
      const size = (await send('GET', sharded(MAPS))).body.items.length;
      for (const as of ['Table', 'PartialObjectMetadataList']) {
        const accept = `application/json;as=${as};g=meta.k8s.io;v=v1`;
        const { body } = await send('GET', sharded(MAPS), undefined, accept);
        expect(body.metadata).to.not.have.property('shardInfo');
        const { rows = body.items } = body as List & { rows?: readonly unknown[] };
        expect(rows.length).to.equal(size);
      }
      const { body } = await send('GET', sharded(WIRES));
      expect(body.metadata).to.not.have.property('shardInfo');
      const all = (await send('GET', WIRES)).body.items;
      expect(body.items).to.deep.equal(all.filter(isIn));
    });
  });

  it('are refused in the words of kube-apiserver, after wrong other selectors', async () => {
    await withServer(true, async (send) => {
      const message =
        'invalid shard selector: unexpected expression kind 3; expected shardRange() call or || operator';
      for (const [method, url] of [
        ['GET', sharded(MAPS, 'bogus')],
        ['GET', sharded(WIRES, 'bogus')],
        ['GET', sharded(MAPS, 'bogus', '&watch=1&timeoutSeconds=1')],
        ['GET', sharded(MAPS, 'bogus', '&resourceVersion=abc')],
        ['DELETE', sharded(MAPS, 'bogus')],
      ] as const) {
        const { status, body } = await send(method, url);
        expect([status, body.message, body.reason], url).to.deep.equal([500, message, undefined]);
      }
      for (const other of ['labelSelector=a%3D(', 'fieldSelector=a.b%3Dc']) {
        const { status, body } = await send('GET', sharded(MAPS, 'bogus', `&${other}`));
        expect([status, body.reason], other).to.deep.equal([400, 'BadRequest']);
      }
    });
  });

  it('do not concern objects that are not stored, nor single ones', async () => {
    await withServer(true, async (send) => {
      const components = await send('GET', sharded('/api/v1/componentstatuses', HALF));
      expect(components.body.metadata).to.deep.equal({});
      const all = (await send('GET', '/api/v1/componentstatuses')).body.items.length;
      expect(components.body.items.length).to.equal(all);
      expect((await send('GET', sharded('/api/v1/componentstatuses', 'bogus'))).status).to.equal(
        200,
      );
      expect((await send('GET', sharded(`${MAPS}/map-1`, 'bogus'))).status).to.equal(200);
    });
  });

  it('limit the deletion of a collection', async () => {
    await withServer(true, async (send) => {
      const before = (await send('GET', MAPS)).body.items;
      const { body } = await send('DELETE', sharded(MAPS));
      expect(body.metadata.shardInfo).to.deep.equal({ selector: HALF });
      const after = (await send('GET', MAPS)).body.items;
      expect(after).to.deep.equal(before.filter((one) => !isIn(one)));
    });
  });
});
