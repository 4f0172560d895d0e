import { expect } from 'chai';
import { KeyError, metaNamespaceKeyFunc } from '../../../../lib/meta/key.ts';
import { identityOf } from '../../../../lib/meta/object-view.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { jsonCodec, type Codec } from '../../../../lib/server/storage/value/codec.ts';
import { JsonStoredObject } from '../../../../lib/server/storage/value/json-stored-object.ts';

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

  it('gives its document in pieces, of which nothing is kept', () => {
    const codec = new CountingCodec();
    const object = stored('{"metadata":{"name":"a"}}', codec);
    const pieces = object.pieces();
    expect(Buffer.concat(pieces).toString()).to.equal(Buffer.from(object.bytes).toString());
    expect(pieces[0]?.buffer).to.equal(object.value.buffer);
    expect(stored('{"kind":"A"}').pieces()).to.have.length(1);
    expect(codec.decoded).to.equal(0);
  });

  it('is encoded once by a function, and stays bytes', () => {
    const codec = new CountingCodec();
    const object = stored('{"metadata":{"name":"a"}}', codec);
    const named = ({ metadata }: UnstructuredObject): Uint8Array =>
      Buffer.from(`${metadata?.name} ${metadata?.resourceVersion}`);
    const first = object.encodedBy(named);
    expect(Buffer.from(first).toString()).to.equal('a 7');
    expect(object.encodedBy(named)).to.equal(first);
    expect(codec.decoded).to.equal(1);
    expect(Buffer.from(object.encodedBy(() => Buffer.from('other'))).toString()).to.equal('other');
    expect(codec.decoded).to.equal(2);
    expect(object.object).to.deep.include({ metadata: { name: 'a', resourceVersion: '7' } });
    object.encodedBy(named);
    expect(codec.decoded).to.equal(3);
  });

  it('has its identity without being decoded, unless that takes a parser', () => {
    const codec = new CountingCodec();
    const plain = stored('{"metadata":{"name":"a","namespace":"b","uid":"c"}}', codec);
    const { name, namespace, uid, resourceVersion } = identityOf(plain);
    expect([name, namespace, uid, resourceVersion]).to.deep.equal(['a', 'b', 'c', '7']);
    expect(codec.decoded).to.equal(0);
    for (const text of [
      '{"metadata":{"name":"\\u0061"}}',
      '{"metadata":{"name":"b","name":"a"}}',
    ]) {
      expect(identityOf(stored(text, codec)).name, text).to.equal('a');
    }
    expect(codec.decoded).to.equal(2);
    expect(identityOf(stored('{"kind":"A"}')).name).to.equal(undefined);
  });

  it('gives the caches of all informers one and the same key', () => {
    const codec = new CountingCodec();
    for (const [text, key] of [
      ['{"metadata":{"name":"a","namespace":"b"}}', 'b/a'],
      ['{"metadata":{"name":"a"}}', 'a'],
      ['{"metadata":{"name":""}}', undefined],
      ['{"metadata":{}}', undefined],
    ] as const) {
      const object = stored(text, codec);
      expect(object.sharedKey).to.equal(key);
      if (key !== undefined) expect(metaNamespaceKeyFunc(object)).to.equal(key);
      else expect(() => metaNamespaceKeyFunc(object)).to.throw(KeyError);
    }
    expect(codec.decoded).to.be.below(5);
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

  describe('after another state', () => {
    const spec = '{"a":[1,{"b":"}"}]}';
    const text = (status: string, own = spec): string =>
      `{"kind":"A","metadata":{"name":"a","labels":{"spec":"x"}},"spec":${own},"status":${status}}`;

    it('shares a spec of the same bytes, and decodes the rest', () => {
      const codec = new CountingCodec();
      const first = stored(text('1'), codec);
      const second = stored(text('{"spec":{}}'), codec);
      const third = stored(text('null'), codec);
      second.decodeAfter(first);
      third.decodeAfter(second);
      expect(codec.decoded).to.equal(3);
      expect(third.object['spec']).to.equal(first.object['spec']);
      for (const state of [first, second, third]) {
        expect(state.object).to.deep.equal(JSON.parse(Buffer.from(state.bytes).toString()));
        expect(Object.isFrozen(state.object['status'] ?? null)).to.equal(true);
      }
      expect(codec.decoded).to.equal(3);
    });

    it('decodes a spec of its own', () => {
      for (const [one, other] of [
        [spec, '{"a":[1,{"b":"]"}]}'],
        [spec, spec.slice(0, -1).concat(',"c":1}')],
        [spec.slice(0, -1).concat(',"c":1}'), spec],
        ['"text"', '"text"'],
        [spec, '[]'],
      ] as const) {
        const first = stored(text('1', one));
        const second = stored(text('2', other));
        second.decodeAfter(first);
        expect(second.object['spec'], other).to.deep.equal(JSON.parse(other));
        expect(second.object['spec'] === first.object['spec']).to.equal(one === '"text"');
      }
      const without = stored('{"kind":"A","metadata":{}}');
      without.decodeAfter(stored(text('1')));
      expect(without.object).not.to.have.property('spec');
    });

    it('is encoded with the bytes of the spec that both have', () => {
      const codec = new CountingCodec();
      const first = stored(text('1'), codec);
      const later: UnstructuredObject = { ...first.object, status: { spec: null } };
      const bytes = Buffer.from(first.encodeAfter(later) ?? '').toString();
      expect(bytes).to.equal(Buffer.from(codec.encode(later)).toString());
      expect(first.encodeAfter({ ...later, spec: { ...(later['spec'] as object) } })).to.equal(
        undefined,
      );
      expect(stored(text('1')).encodeAfter(later)).to.equal(undefined);
    });

    it('is encoded as a whole where the value is no JSON', () => {
      const binary: Codec<UnstructuredObject> = {
        encode: () => Buffer.from('binary'),
        decode: () => ({ kind: 'A', metadata: {}, spec: {} }),
        documentOf: (bytes) => (bytes[0] === 0x7b ? bytes : undefined),
      };
      for (const value of ['binary', text('1')]) {
        const first = stored(value, binary);
        expect(first.encodeAfter({ ...first.object }), value).to.equal(undefined);
        const second = stored('binary', binary);
        second.decodeAfter(first);
        expect(second.object).to.deep.include({ kind: 'A', spec: {} });
      }
    });
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
