import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { UnstructuredObject } from '../../../lib/meta/object.ts';
import { readEnvelope } from '../../../lib/meta/protobuf/envelope.ts';
import { GeneratedDecoders } from '../../../lib/meta/protobuf/decode/generated-decoders.ts';
import { decodeInterpreted } from '../../../lib/meta/protobuf/decode/interpreted-decoder.ts';
import { InterpretedEncoder } from '../../../lib/meta/protobuf/interpreted-encoder.ts';
import {
  decodeObject,
  encodeObject,
  hasProtobuf,
} from '../../../lib/meta/protobuf/object-codec.ts';
import { ProtobufError } from '../../../lib/meta/protobuf/wire/protobuf-error.ts';
import {
  FRAME_LENGTH_BYTES,
  watchEventFrame,
} from '../../../lib/meta/protobuf/watch-event-frame.ts';
import { writeMessage } from '../../../lib/meta/protobuf/wire/wire-writer.ts';
import { builtInTypes } from '../../../lib/meta/types/built-in-types.ts';
import { envelope, message } from './protobuf-writer.ts';
import { readWatchEvent } from './read-watch-event.ts';

interface Recorded {
  readonly path: string;
  readonly json: UnstructuredObject;
  readonly protobuf: string;
}

const [head = '', ...lines] = readFileSync(join(import.meta.dirname, 'recorded.jsonl'), 'utf8')
  .trim()
  .split('\n');
const recorded = lines.map((line) => JSON.parse(line) as Recorded);
const objects = recorded.filter(({ path }) => !path.includes('watch=1'));

function bytesOf({ protobuf }: Recorded): Buffer {
  return Buffer.from(protobuf, 'base64');
}

function kindOf({ apiVersion, kind }: UnstructuredObject): string {
  return `${apiVersion} ${kind}`;
}

describe('the protobuf that a kube-apiserver sent', () => {
  it('is of 1.37, and of all kinds that can be made', () => {
    expect(JSON.parse(head)).to.deep.equal({ from: 'kube-apiserver v1.37.2' });
    const kinds = new Set(objects.map(({ json }) => kindOf(json)));
    expect(kinds.size).to.be.greaterThan(65);
    for (const kind of ['v1 Pod', 'v1 Status', 'v1 ConfigMapList', 'v1 APIResourceList']) {
      expect([...kinds]).to.include(kind);
    }
  });

  it('decodes to the JSON that it sent', () => {
    for (const one of objects) {
      expect(decodeObject(bytesOf(one)), one.path).to.deep.equal(one.json);
    }
  });

  it('is what the JSON encodes to, byte by byte', () => {
    for (const one of objects) {
      expect(encodeObject(one.json).toString('base64'), one.path).to.equal(one.protobuf);
    }
  });

  it('is decoded by generated code and by the interpreter alike', () => {
    const generated = new GeneratedDecoders();
    for (const one of objects) {
      const { apiVersion, kind, ...fields } = one.json;
      const type = builtInTypes().kind(apiVersion ?? '', kind ?? '')!;
      const { raw } = readEnvelope(bytesOf(one));
      expect(generated.decode(type, raw), one.path).to.deep.equal(fields);
      expect(decodeInterpreted(type, raw), one.path).to.deep.equal(fields);
    }
  });

  it('is encoded from the table as by generated code', () => {
    const encoder = new InterpretedEncoder();
    for (const one of objects) {
      const type = builtInTypes().kind(one.json.apiVersion ?? '', one.json.kind ?? '')!;
      const written = writeMessage(() => encoder.write(type, one.json));
      expect(written.equals(readEnvelope(bytesOf(one)).raw), one.path).to.equal(true);
    }
  });

  it('is read and written where code generation is forbidden', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--disallow-code-generation-from-strings',
      '--conditions=@listwatch/source',
      '--import',
      'tsx',
      join(import.meta.dirname, 'without-code-generation.ts'),
    ]);
    expect(JSON.parse(stdout)).to.deep.equal({ mayGenerateCode: false, right: objects.length });
  });

  it('has watch events in frames', () => {
    const [event] = recorded.filter(({ path }) => path.includes('watch=1'));
    const frame = bytesOf(event!);
    const { type, object } = event!.json as unknown as {
      readonly type: string;
      readonly object: UnstructuredObject;
    };
    expect(frame.readUInt32BE(0)).to.equal(frame.length - FRAME_LENGTH_BYTES);
    const read = readWatchEvent(frame.subarray(FRAME_LENGTH_BYTES));
    expect(read.type).to.equal(type);
    expect(decodeObject(read.object)).to.deep.equal(object);
    expect(watchEventFrame(type, encodeObject(object)).equals(frame)).to.equal(true);
  });
});

describe('encodeObject', () => {
  function refusal(object: object): ProtobufError {
    try {
      encodeObject(object);
    } catch (error) {
      if (error instanceof ProtobufError) return error;
      throw error;
    }
    throw new Error('it was accepted');
  }

  it('refuses a value of another type than its field, and names the field', () => {
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' };
    for (const [fields, text] of [
      [
        { spec: { replicas: '2' } },
        'Deployment.spec.replicas: it has to be a whole number of 32 bits, not string',
      ],
      [
        { spec: { replicas: 2 ** 31 } },
        'Deployment.spec.replicas: it has to be a whole number of 32 bits',
      ],
      [{ spec: { paused: 1 } }, 'Deployment.spec.paused: it has to be a boolean, not number'],
      [{ spec: [] }, 'Deployment.spec: it has to be an object, not a list'],
      [{ metadata: { labels: { a: 1 } } }, 'Deployment.metadata.labels: it has to be a string'],
      [{ metadata: { finalizers: {} } }, 'Deployment.metadata.finalizers: it has to be a list'],
      [
        { metadata: { creationTimestamp: 'now' } },
        'creationTimestamp: it is not a time of RFC 3339',
      ],
    ] as const) {
      const error = refusal({ ...deployment, ...fields });
      expect(error.code).to.equal('MALFORMED_OBJECT');
      expect(error.message).to.contain(text);
    }
    expect(refusal({ apiVersion: 'v1', kind: 'Secret', data: { a: '%' } }).message).to.contain(
      'Secret.data: it is not base64',
    );
  });

  it('refuses kinds that are not in the table', () => {
    expect(hasProtobuf('example.io/v1', 'Widget')).to.equal(false);
    expect(refusal({ apiVersion: 'example.io/v1', kind: 'Widget' })).to.include({
      code: 'UNSUPPORTED_ENCODING',
      message: 'protobuf of "example.io/v1 Widget", which is not a built-in kind',
    });
  });

  it('refuses an object that lies in itself', () => {
    const schema: Record<string, unknown> = {};
    schema['not'] = schema;
    const error = refusal({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: { versions: [{ schema: { openAPIV3Schema: schema } }] },
    });
    expect(error.message).to.contain('nested deeper than 500 messages');
  });

  it('writes objects that are larger than its buffer, and keeps none of them', () => {
    const data = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`k${index}`, 'ä'.repeat(50_000)]),
    );
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data };
    for (let round = 0; round < 2; round += 1) {
      expect(decodeObject(encodeObject(object))).to.deep.equal(object);
    }
  });

  it('writes keys in the order of their bytes', () => {
    const data = { '\u{10000}': 'a', '\uffff': 'b', z: 'c', __proto: 'd' };
    const text = encodeObject({ apiVersion: 'v1', kind: 'ConfigMap', data } as object).toString();
    const places = ['__proto', 'z', '\uffff', '\u{10000}'].map((key) => text.indexOf(key));
    expect(places).to.deep.equal(places.toSorted((left, right) => left - right));
  });
});

describe('decodeObject', () => {
  it('skips fields that the kind does not have, also groups', () => {
    const group = Uint8Array.of(0xfb, 0x06, 0x08, 0x01, 0xfc, 0x06);
    const raw = Buffer.concat([message([1, message([1, 'a'])], [99, 'x'], [100, 5]), group]);
    expect(decodeObject(envelope('v1', 'ConfigMap', raw))).to.deep.equal({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
    });
  });

  it('bounds how deep schemas lie in schemas', () => {
    const type = builtInTypes().get('extensions.JSONSchemaProps');
    const nested = (depth: number): Uint8Array => {
      let raw = message([1, 'x']);
      for (let level = 1; level < depth; level += 1) raw = message([28, raw]);
      return raw;
    };
    const deepest = new GeneratedDecoders().decode(type, nested(100));
    expect(deepest).to.have.property('not');
    expect(decodeInterpreted(type, nested(499))).to.have.property('not');
    expect(() => decodeInterpreted(type, nested(501))).to.throw('nested deeper than 500 messages');
  });

  it('refuses JSON that is too deep within protobuf', () => {
    const deep = `${'{"a":'.repeat(1_001)}1${'}'.repeat(1_001)}`;
    const raw = message([2, message([1, deep])], [3, 1]);
    expect(() => decodeObject(envelope('apps/v1', 'ControllerRevision', raw))).to.throw(
      'nested deeper than 1000 levels',
    );
  });

  it('lets no item of a list keep the text of the others', () => {
    const list = {
      apiVersion: 'v1',
      kind: 'ConfigMapList',
      metadata: { resourceVersion: '7', continue: 'a-token-of-some-length' },
      items: [
        { metadata: { name: 'a-name-of-some-length' }, data: { key: 'größe' } },
        { metadata: { name: 'b' }, data: { __proto: 'x', text: 'y'.repeat(100) } },
      ],
    };
    expect(decodeObject(encodeObject(list))).to.deep.equal(list);
  });
});
