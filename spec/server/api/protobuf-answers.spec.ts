import { expect } from 'chai';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../lib/meta/object.ts';
import { decodeObject, encodeObject } from '../../../lib/meta/protobuf/object-codec.ts';
import { FRAME_LENGTH_BYTES } from '../../../lib/meta/protobuf/watch-event-frame.ts';
import { readWatchEvent } from '../../meta/protobuf/read-watch-event.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS, GADGET, GADGETS, gadgets } from './gadgets.ts';
import { apiRequest } from './support.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const MAPS = '/api/v1/namespaces/default/configmaps';
const PARTIAL = `${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
const PARTIAL_LIST = `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;

interface Answer {
  readonly status: number;
  readonly type: unknown;
  readonly bytes: Buffer;
}

type Send = (method: string, url: string, body?: object, accept?: string) => Promise<Answer>;

/** A client that speaks nothing but protobuf. */
async function withClient(run: (send: Send, server: ApiServer) => Promise<void>): Promise<void> {
  const runtime = new VirtualRuntime();
  await runtime.run(async () => {
    await using server = new ApiServer({ runtime });
    await run(async (method, url, body, accept = PROTOBUF) => {
      const bytes = body === undefined ? Buffer.alloc(0) : encodeObject(body);
      const headers = { accept, 'content-type': PROTOBUF };
      const answer = await server.handler(apiRequest(method, url, { body: bytes, headers }));
      const pieces: Uint8Array[] = [];
      if (answer.body instanceof Uint8Array) pieces.push(answer.body);
      else for await (const piece of answer.body) pieces.push(piece);
      const type = answer.headers['content-type'];
      return { status: answer.status, type, bytes: Buffer.concat(pieces) };
    }, server);
  });
}

function read({ type, bytes }: Answer): UnstructuredObject {
  expect(type).to.equal(PROTOBUF);
  return decodeObject(bytes);
}

function configMap(name: string, data: Record<string, string>): KubernetesObject & object {
  const metadata = { name, namespace: 'default' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as KubernetesObject;
}

function eventsOf({ type, bytes }: Answer): { type: string; object: UnstructuredObject }[] {
  expect(type).to.equal(`${PROTOBUF};stream=watch`);
  const events: { type: string; object: UnstructuredObject }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + FRAME_LENGTH_BYTES;
    at = start + bytes.readUInt32BE(at);
    const event = readWatchEvent(bytes.subarray(start, at));
    events.push({ type: event.type, object: decodeObject(event.object) });
  }
  return events;
}

describe('a client that accepts only protobuf', () => {
  it('creates, reads, updates and deletes', async () => {
    await withClient(async (send) => {
      const created = await send('POST', MAPS, configMap('a', { key: 'value' }));
      expect(created.status).to.equal(201);
      expect(read(created)).to.deep.include({ kind: 'ConfigMap', data: { key: 'value' } });
      const updated = await send('PUT', `${MAPS}/a`, configMap('a', { key: 'other' }));
      expect(read(updated)['data']).to.deep.equal({ key: 'other' });
      expect(read(await send('GET', `${MAPS}/a`))).to.deep.equal(read(updated));
      const options = { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] };
      expect(read(await send('DELETE', `${MAPS}/a`, options))).to.include({ status: 'Success' });
      expect((await send('GET', `${MAPS}/a`)).status).to.equal(200);
      expect((await send('DELETE', `${MAPS}/a`)).status).to.equal(200);
      const missing = await send('GET', `${MAPS}/a`);
      expect(missing.status).to.equal(404);
      expect(read(missing)).to.deep.include({ kind: 'Status', reason: 'NotFound' });
    });
  });

  it('reads lists of any length', async () => {
    await withClient(async (send) => {
      expect(read(await send('GET', MAPS))).to.deep.include({ kind: 'ConfigMapList' });
      const names = Array.from({ length: 450 }, (_, index) => `m${String(index).padStart(3, '0')}`);
      for (const name of names)
        await send('POST', MAPS, configMap(name, { text: name.repeat(300) }));
      const list = read(await send('GET', MAPS));
      const items = list['items'] as UnstructuredObject[];
      expect(items.map(({ metadata }) => metadata?.name)).to.deep.equal(names);
      expect(list.kind).to.equal('ConfigMapList');
      expect(encodeObject(list)).to.deep.equal((await send('GET', MAPS)).bytes);
      const page = read(await send('GET', `${MAPS}?limit=2`));
      expect(page.metadata).to.include({ remainingItemCount: 448 });
      const partial = read(await send('GET', MAPS, undefined, PARTIAL_LIST));
      expect(partial.kind).to.equal('PartialObjectMetadataList');
      expect(partial['items']).to.have.length(450);
    });
  });

  it('watches, also for the metadata alone', async () => {
    await withClient(async (send) => {
      await send('POST', MAPS, configMap('a', { key: 'value' }));
      const query = '?watch=1&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true';
      const url = `${MAPS}${query}&resourceVersionMatch=NotOlderThan`;
      const [added, bookmark] = eventsOf(await send('GET', url));
      expect(added).to.deep.include({ type: 'ADDED' });
      expect(added?.object).to.deep.equal(read(await send('GET', `${MAPS}/a`)));
      expect(bookmark?.type).to.equal('BOOKMARK');
      expect(bookmark?.object.metadata?.annotations).to.have.property('k8s.io/initial-events-end');
      const [partial] = eventsOf(await send('GET', url, undefined, PARTIAL));
      expect(partial?.object).to.deep.include({ kind: 'PartialObjectMetadata' });
      expect(partial?.object.metadata).to.deep.equal(added?.object.metadata);
    });
  });

  it('gets the reason in the stream when a watch cannot go on', async () => {
    await withClient(async (send, server) => {
      const before = read(await send('POST', MAPS, configMap('a', {}))).metadata?.resourceVersion;
      await send('POST', MAPS, configMap('b', {}));
      await server.compact();
      const url = `${MAPS}?watch=1&timeoutSeconds=9&resourceVersion=${before}`;
      const [failed, ...more] = eventsOf(await send('GET', url));
      expect(failed?.type).to.equal('ERROR');
      expect(failed?.object).to.include({ kind: 'Status', reason: 'Expired', code: 410 });
      expect(more).to.deep.equal([]);
    });
  });

  it('finds the resources', async () => {
    await withClient(async (send) => {
      expect(read(await send('GET', '/api'))).to.deep.include({
        kind: 'APIVersions',
        versions: ['v1'],
      });
      expect(read(await send('GET', '/apis')).kind).to.equal('APIGroupList');
      expect(read(await send('GET', '/apis/apps'))).to.include({ kind: 'APIGroup', name: 'apps' });
      const { resources } = read(await send('GET', '/apis/apps/v1'));
      const [first] = resources as { name: string; verbs: string[] }[];
      expect(first?.verbs).to.include('list');
      expect(read(await send('GET', '/api/v1/nothing')).kind).to.equal('Status');
    });
  });

  it('defines custom resources, and reads of them the metadata only', async () => {
    await withClient(async (send) => {
      const made = await send('POST', DEFINITIONS, gadgets);
      expect(made.status).to.equal(201);
      expect(read(made)).to.deep.include({ kind: 'CustomResourceDefinition' });
      const path = `${GADGETS}/namespaces/default/gadgets`;
      expect((await send('GET', path)).status).to.equal(406);
      expect(read(await send('GET', path)).kind).to.equal('Status');
      const refused = await send('POST', path, { ...GADGET, metadata: { name: 'g' } }, '*/*').catch(
        (error: unknown) => String(error),
      );
      expect(refused).to.contain('not a built-in kind');
      expect(read(await send('GET', path, undefined, PARTIAL_LIST))['items']).to.deep.equal([]);
    });
  });
});
