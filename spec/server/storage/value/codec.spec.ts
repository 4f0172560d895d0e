import { expect } from 'chai';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import { encodeJson, jsonCodec } from '../../../../lib/server/storage/value/codec.ts';

const codec = jsonCodec<UnstructuredObject>();

function encode(object: unknown): string {
  return Buffer.from(codec.encode(object as UnstructuredObject)).toString();
}

describe('jsonCodec', () => {
  it('writes apiVersion, kind and metadata first, and all other fields in order at every depth', () => {
    const object = {
      spec: { b: [{ d: 1, c: 2 }], a: null },
      data: 1,
      metadata: { name: 'x', annotations: { z: '', a: '' } },
      kind: 'Pod',
      apiVersion: 'v1',
    };
    expect(encode(object)).to.equal(
      '{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"a":"","z":""},"name":"x"},' +
        '"data":1,"spec":{"a":null,"b":[{"c":2,"d":1}]}}',
    );
  });

  it('gives the same bytes for every order of the fields, and after decoding', () => {
    const one = {
      metadata: { name: 'x' },
      data: { '10': 'a', '9': 'b', b: 'c', a: 'd', '-1': 'e', '': 'f' },
    };
    const other = {
      data: { '': 'f', a: 'd', '-1': 'e', b: 'c', '9': 'b', '10': 'a' },
      metadata: { name: 'x' },
    };
    expect(encode(one)).to.equal(encode(other));
    expect(encode(codec.decode(codec.encode(one)))).to.equal(encode(one));
  });

  it('orders keys that look like array indexes but are too large', () => {
    const one = { spec: { '9999999999': 1, '1x': 2, '7': 3 } };
    const other = { spec: { '1x': 2, '7': 3, '9999999999': 1 } };
    expect(encode(one)).to.equal(encode(other));
  });

  it('leaves out the fields that are not stored, and only those', () => {
    const metadata = { resourceVersion: '7', selfLink: '/x', name: 'x' };
    const object = { metadata, spec: { resourceVersion: '8', selfLink: '/y' } };
    expect(encode(object)).to.equal(
      '{"metadata":{"name":"x"},"spec":{"resourceVersion":"8","selfLink":"/y"}}',
    );
    expect(metadata.resourceVersion, 'the object itself stays as it is').to.equal('7');
  });

  it('writes dates as text and leaves undefined fields out', () => {
    const metadata = { creationTimestamp: new Date(0), name: undefined };
    expect(encode({ metadata })).to.equal(
      '{"metadata":{"creationTimestamp":"1970-01-01T00:00:00.000Z"}}',
    );
  });

  it('gives every object metadata', () => {
    expect(encode({ kind: 'A' })).to.equal('{"kind":"A","metadata":{}}');
    expect(encode({ kind: 'A', metadata: null })).to.equal('{"kind":"A","metadata":{}}');
  });

  it('treats __proto__ and constructor as fields like any other', () => {
    const text =
      '{"metadata":{},"spec":{"b":1,"__proto__":{"z":1,"a":{"polluted":true}},"constructor":2}}';
    const decoded = codec.decode(Buffer.from(text));
    expect(encode(decoded)).to.equal(
      '{"metadata":{},"spec":{"__proto__":{"a":{"polluted":true},"z":1},"b":1,"constructor":2}}',
    );
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
  });

  it('refuses what JSON cannot hold', () => {
    const cycle: Record<string, unknown> = { metadata: {} };
    cycle['self'] = cycle;
    const deep: unknown[] = [];
    let inner = deep;
    for (let depth = 0; depth < 100_000; depth += 1) inner.push((inner = []));
    for (const bad of [cycle, { big: 1n }, { deep }, [], null, 'text']) {
      expect(() => encode(bad))
        .to.throw()
        .with.property('code', 'BAD_REQUEST');
    }
  });

  it('refuses numbers that JSON would write as null', () => {
    for (const bad of [NaN, Infinity, -Infinity]) {
      for (const object of [{ spec: { replicas: bad } }, { items: [[bad]] }]) {
        expect(() => encode(object), String(bad))
          .to.throw(`${bad} is not a JSON number`)
          .with.property('code', 'BAD_REQUEST');
      }
    }
  });

  it('writes the resource version too where it is asked for everything', () => {
    const object = { metadata: { name: 'a', resourceVersion: '7' }, kind: 'A' };
    expect(Buffer.from(encodeJson(object)).toString()).to.equal(
      '{"kind":"A","metadata":{"name":"a","resourceVersion":"7"}}',
    );
    expect(Buffer.from(encodeJson({ kind: 'A' })).toString()).to.equal('{"kind":"A"}');
  });

  it('decodes objects only', () => {
    for (const bad of ['', '[]', 'null', '1', '{"a":', 'k8s\0binary']) {
      expect(() => codec.decode(Buffer.from(bad)), bad).to.throw();
    }
    expect(
      () => codec.decode(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
      'no UTF-8',
    ).to.throw();
  });
});
