import { expect } from 'chai';
import { isProtobuf, PROTOBUF_MEDIA_TYPE } from '../../../../lib/meta/protobuf/envelope.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { EmbeddedKeyValueStore } from '../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyValueStorage } from '../../../../lib/server/storage/key-value-storage.ts';
import {
  storedObjectCodec,
  type StorageMediaType,
} from '../../../../lib/server/storage/scheme/stored-object-codec.ts';

const CONFIG_MAP: UnstructuredObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'shop', resourceVersion: '7', labels: { b: 'c', a: 'b' } },
  data: { key: 'größe' },
};
const WIDGET: UnstructuredObject = {
  apiVersion: 'example.io/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'shop' },
};

function storage(store: EmbeddedKeyValueStore, mediaType: StorageMediaType) {
  return new KeyValueStorage<UnstructuredObject>({
    store,
    resourcePrefix: '/registry/things/',
    codec: storedObjectCodec({ mediaType }),
  });
}

function stored(object: UnstructuredObject): UnstructuredObject {
  const { resourceVersion: _version, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

describe('storedObjectCodec', () => {
  it('writes the configured encoding, and JSON where there is no protobuf', () => {
    const json = storedObjectCodec();
    const protobuf = storedObjectCodec({ mediaType: PROTOBUF_MEDIA_TYPE });
    expect(isProtobuf(json.encode(CONFIG_MAP))).to.equal(false);
    expect(isProtobuf(protobuf.encode(CONFIG_MAP))).to.equal(true);
    expect(isProtobuf(protobuf.encode(WIDGET))).to.equal(false);
  });

  it('reads both encodings, without the resource version', () => {
    const codecs = [storedObjectCodec(), storedObjectCodec({ mediaType: PROTOBUF_MEDIA_TYPE })];
    for (const writer of codecs) {
      for (const reader of codecs) {
        expect(reader.decode(writer.encode(CONFIG_MAP))).to.deep.equal(stored(CONFIG_MAP));
        expect(reader.decode(writer.encode(WIDGET))).to.deep.equal(stored(WIDGET));
      }
    }
  });

  it('takes a line end behind a document away, and makes a document of several lines again', () => {
    const codec = storedObjectCodec();
    const text = JSON.stringify(WIDGET);
    const document = (stored: string): string | undefined => {
      const bytes = codec.documentOf?.(Buffer.from(stored));
      return bytes === undefined ? undefined : Buffer.from(bytes).toString();
    };
    expect(document(text)).to.equal(text);
    expect(document(`${text}\n`)).to.equal(text);
    expect(document(JSON.stringify(WIDGET, null, 2))).to.equal(undefined);
    expect(document(`\n${text}`)).to.equal(undefined);
  });

  it('shows what is stored in a version that is not served in the one that is', () => {
    const codec = storedObjectCodec();
    const policy = (version: string): UnstructuredObject => ({
      apiVersion: `admissionregistration.k8s.io/${version}`,
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name: 'a' },
      spec: { policyName: 'none' },
    });
    expect(codec.decode(Buffer.from(JSON.stringify(policy('v1beta1'))))).to.deep.equal(
      policy('v1'),
    );
    expect(codec.decode(Buffer.from(JSON.stringify(policy('v1alpha1'))))).to.deep.equal(
      policy('v1alpha1'),
    );
  });

  it('completes what was stored as protobuf', () => {
    const complete = (object: UnstructuredObject): UnstructuredObject => ({
      ...object,
      done: true,
    });
    const protobuf = storedObjectCodec({ mediaType: PROTOBUF_MEDIA_TYPE });
    const codec = storedObjectCodec({ complete });
    expect(codec.decode(protobuf.encode(CONFIG_MAP))).to.deep.equal({
      ...stored(CONFIG_MAP),
      done: true,
    });
    expect(codec.decode(Buffer.from(JSON.stringify(WIDGET)))).to.deep.equal(WIDGET);
  });

  it('gives equal bytes for equal objects, in any order of fields', () => {
    const { apiVersion, kind, metadata, data } = CONFIG_MAP;
    const other = { data, metadata: { ...metadata, labels: { a: 'b', b: 'c' } }, kind, apiVersion };
    for (const codec of [
      storedObjectCodec(),
      storedObjectCodec({ mediaType: PROTOBUF_MEDIA_TYPE }),
    ]) {
      expect(Buffer.from(codec.encode(other)).equals(codec.encode(CONFIG_MAP))).to.equal(true);
    }
  });

  it('refuses what a field cannot hold with 400', () => {
    const codec = storedObjectCodec({ mediaType: PROTOBUF_MEDIA_TYPE });
    expect(() => codec.encode({ ...CONFIG_MAP, data: { key: 1 } }))
      .to.throw('ConfigMap.data: it has to be a string')
      .with.property('code', 'BAD_REQUEST');
  });

  it('lets JSON and protobuf lie side by side in one store', async () => {
    const store = new EmbeddedKeyValueStore();
    const json = storage(store, 'application/json');
    const protobuf = storage(store, PROTOBUF_MEDIA_TYPE);
    const { resourceVersion: _version, ...metadata } = CONFIG_MAP.metadata ?? {};
    const fresh = { ...CONFIG_MAP, metadata };
    await json.create('/registry/things/shop/a', fresh);
    await protobuf.create('/registry/things/shop/b', fresh);
    for (const reader of [json, protobuf]) {
      const { items } = await reader.getList('/registry/things/', { recursive: true });
      expect(items.map(({ object }) => object['data'])).to.deep.equal([
        { key: 'größe' },
        { key: 'größe' },
      ]);
      for (const item of items) {
        const bytes = JSON.parse(Buffer.from(item.bytes).toString()) as UnstructuredObject;
        expect(bytes).to.deep.equal(item.object);
        expect(bytes.metadata?.resourceVersion).to.equal(item.resourceVersion);
      }
    }
    const updated = await protobuf.guaranteedUpdate('/registry/things/shop/a', ({ existing }) => ({
      object: { ...(existing as UnstructuredObject), data: { key: 'new' } },
    }));
    expect(updated.object['data']).to.deep.equal({ key: 'new' });
    const { items } = await store.range({ key: '/registry/things/shop/a' });
    expect(isProtobuf(items[0]!.value)).to.equal(true);
    await store.close();
  });
});
