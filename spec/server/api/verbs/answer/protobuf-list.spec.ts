import { expect } from 'chai';
import type { UnstructuredObject } from '../../../../../lib/meta/object.ts';
import { decodeObject, encodeObject } from '../../../../../lib/meta/protobuf/object-codec.ts';
import type { ResourceDescription } from '../../../../../lib/server/registry/contract/rest-storage.ts';
import type { StoredObject } from '../../../../../lib/server/storage/contract/stored-object.ts';
import { apiRequest, fakeStorage, FakeWatch, serve, storedObject } from '../../support.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const PARTIAL = `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
const MAPS = '/api/v1/namespaces/shop/configmaps';
const MAP: ResourceDescription = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  singular: 'configmap',
  kind: 'ConfigMap',
  listKind: 'ConfigMapList',
  namespaced: true,
  shortNames: [],
  categories: [],
};

type Stored = StoredObject<UnstructuredObject>;

function configMap(index: number): UnstructuredObject {
  const metadata = { name: `a-${index}`, namespace: 'shop', resourceVersion: String(index + 1) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { key: 'x'.repeat(index) } };
}

/** ConfigMaps that keep what they are encoded as, and count how often that was made. */
class Shop {
  encoded = 0;
  readonly items: Stored[];

  constructor(count: number) {
    this.items = Array.from({ length: count }, (_, index) => this.#stored(configMap(index)));
  }

  #stored(object: UnstructuredObject): Stored {
    let kept: Uint8Array | undefined;
    const encodedBy = (encode: (of: UnstructuredObject) => Uint8Array): Uint8Array => {
      if (kept === undefined) this.encoded += 1;
      kept ??= encode(object);
      return kept;
    };
    return { ...storedObject(object), encodedBy };
  }
}

async function bytesOf(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
  if (body instanceof Uint8Array) return Buffer.from(body);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

function listing(items: Iterable<Stored>): (accept?: string) => Promise<Buffer> {
  const scan = () => Promise.resolve({ items, resourceVersion: '1000' });
  const list = () => Promise.reject(new Error('the list is read item by item'));
  const { runtime, handler } = serve(fakeStorage({ list, scan }, MAP));
  return (accept = PROTOBUF) =>
    runtime.run(async () => {
      const { status, body } = await handler(apiRequest('GET', MAPS, { headers: { accept } }));
      expect(status).to.equal(200);
      return await bytesOf(body);
    });
}

function wholeList(items: readonly Stored[]): Buffer {
  const metadata = { resourceVersion: '1000' };
  return encodeObject({
    apiVersion: 'v1',
    kind: 'ConfigMapList',
    metadata,
    items: items.map(({ object }) => object),
  } as UnstructuredObject);
}

describe('a list in protobuf', () => {
  for (const count of [0, 1, 199, 200, 201, 700]) {
    it(`of ${count} objects is what one message of them all is`, async () => {
      const { items } = new Shop(count);
      expect((await listing(items)()).equals(wholeList(items))).to.equal(true);
    });
  }

  it('encodes an object once, for all lists, reads and watches', async () => {
    const shop = new Shop(450);
    const list = listing(shop.items);
    const first = await list();
    expect(shop.encoded).to.equal(450);
    expect((await list()).equals(first)).to.equal(true);
    const [item] = shop.items as [Stored];
    const watch = new FakeWatch();
    const get = () => Promise.resolve(item);
    const { runtime, handler } = serve(fakeStorage({ get, watch: async () => watch }, MAP));
    const headers = { accept: PROTOBUF };
    const read = await runtime.run(async () => {
      const { body } = await handler(apiRequest('GET', `${MAPS}/a-0`, { headers }));
      return await bytesOf(body);
    });
    expect(decodeObject(read)).to.deep.equal(item.object);
    await runtime.run(async () => {
      const { body } = await handler(apiRequest('GET', `${MAPS}?watch=1`, { headers }));
      watch.add('ADDED', item);
      for await (const piece of body as AsyncIterable<Uint8Array>) {
        expect(Buffer.from(piece).includes(read)).to.equal(true);
        break;
      }
    });
    expect(shop.encoded).to.equal(450);
  });

  it('is right for objects that keep no encoding, and for lists of metadata', async () => {
    const items = Array.from({ length: 450 }, (_, index) => storedObject(configMap(index)));
    const list = listing(items);
    expect((await list()).equals(wholeList(items))).to.equal(true);
    const partial = decodeObject(await list(PARTIAL)) as { items?: UnstructuredObject[] };
    expect(partial.items?.map(({ metadata }) => metadata)).to.deep.equal(
      items.map(({ metadata }) => metadata),
    );
  });
});
