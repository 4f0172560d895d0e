import { expect } from 'chai';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { jsonCodec, type Codec } from '../../../lib/server/storage/codec.ts';
import { JsonStoredObject } from '../../../lib/server/storage/json-stored-object.ts';

class CountingCodec implements Codec<UnstructuredObject> {
  decoded = 0;
  readonly #codec = jsonCodec<UnstructuredObject>();

  encode(object: UnstructuredObject): Uint8Array {
    return this.#codec.encode(object);
  }

  decode(bytes: Uint8Array): UnstructuredObject {
    this.decoded += 1;
    return this.#codec.decode(bytes);
  }
}

function stored(
  text: string,
  codec: Codec<UnstructuredObject> = jsonCodec(),
): JsonStoredObject<UnstructuredObject> {
  return new JsonStoredObject({
    key: '/pods/a',
    value: Buffer.from(text),
    resourceVersion: '7',
    codec,
  });
}

describe('JsonStoredObject', () => {
  it('gives bytes without decoding, and both at most once', () => {
    const codec = new CountingCodec();
    const object = stored('{"metadata":{"name":"a"}}', codec);
    expect(Buffer.from(object.bytes).toString()).to.equal(
      '{"metadata":{"resourceVersion":"7","name":"a"}}',
    );
    expect(codec.decoded).to.equal(0);
    expect(object.bytes).to.equal(object.bytes);
    expect(object.object).to.equal(object.object);
    expect(object.metadata).to.equal(object.object.metadata);
    expect(codec.decoded).to.equal(1);
  });

  it('carries its resource version in the object, the bytes and copies', () => {
    for (const text of [
      '{"metadata":{"name":"a"}}',
      '{"metadata":{"resourceVersion":"3"}}',
      '{"kind":"A"}',
      '{"metadata":null}',
    ]) {
      const object = stored(text);
      expect(object.metadata.resourceVersion).to.equal('7');
      expect(object.copy().metadata?.resourceVersion).to.equal('7');
      const decoded = JSON.parse(Buffer.from(object.bytes).toString()) as UnstructuredObject;
      expect(decoded).to.deep.equal(object.object);
    }
  });

  it('takes its bytes from the document in the value, or from the object where there is none', () => {
    const codec: Codec<UnstructuredObject> = {
      ...jsonCodec<UnstructuredObject>(),
      decode: () => ({ kind: 'Decoded', metadata: {} }),
      documentOf: (bytes) => (bytes[0] === 0x7b ? bytes : undefined),
    };
    const text = (value: string): string => Buffer.from(stored(value, codec).bytes).toString();
    expect(text('{"kind":"A","metadata":{}}')).to.equal(
      '{"kind":"A","metadata":{"resourceVersion":"7"}}',
    );
    expect(text('k8s\0binary')).to.equal('{"kind":"Decoded","metadata":{"resourceVersion":"7"}}');
  });

  it('freezes the shared object, not the copies', () => {
    const object = stored('{"metadata":{"labels":{"a":"b"}},"spec":{"list":[{}]}}');
    expect(Object.isFrozen(object.object)).to.equal(true);
    expect(Object.isFrozen(object.metadata.labels)).to.equal(true);
    expect(Object.isFrozen((object.object['spec'] as { list: object[] }).list[0])).to.equal(true);
    const copy = object.copy();
    (copy['spec'] as { list: object[] }).list.push({});
    expect(object.object['spec']).to.deep.equal({ list: [{}] });
  });

  it('names the key of a value that cannot be decoded', () => {
    const object = stored('k8s\0binary');
    for (const read of [
      () => object.object,
      () => object.bytes,
      () => object.copy(),
      () => object.metadata,
    ]) {
      expect(read).to.throw('(key /pods/a)').with.property('code', 'CORRUPT_OBJECT');
    }
  });
});
