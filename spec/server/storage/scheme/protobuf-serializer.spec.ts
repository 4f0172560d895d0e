import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { seededRandom } from '../../../../lib/kernel/time/random.ts';
import { builtInTypes } from '../../../../lib/meta/types/built-in-types.ts';
import {
  openEnvelope,
  ProtobufSerializer,
} from '../../../../lib/server/storage/scheme/protobuf-serializer.ts';
import {
  isSchemeError,
  type SchemeError,
} from '../../../../lib/server/storage/scheme/scheme-error.ts';
import {
  envelope,
  fullSample,
  message,
  type WireField,
} from '../../../meta/protobuf/protobuf-writer.ts';

const serializer = new ProtobufSerializer();

/** The body that kubectl 1.36 sends for `create deployment web --image=nginx:1 --replicas=2 --port=80`. */
const DEPLOYMENT = Buffer.from(
  'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50EroBCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEogBCAISDAoKCgNhcHASA3dlYhpuChwKABIAGgAi' +
    'ACoAMgA4AEIAWgoKA2FwcBIDd2ViEk4SMAoFbmdpbngSB25naW54OjEqADIKCgAQABhQIgAqAEIAagByAIABAIgBAJABAKIBABoAMgBCAEoAUgBYAGAAaACC' +
    'AQCKAQCaAQDCAQAiAgoAKAA4ABoMCAAQABgAIAAoADgAGgAiAA==',
  'base64',
);

function configMap(...fields: WireField[]): Record<string, unknown> {
  return serializer.decode(envelope('v1', 'ConfigMap', message(...fields)));
}

function refusal(bytes: Uint8Array): SchemeError {
  try {
    serializer.decode(bytes, { strict: true });
  } catch (error) {
    if (isSchemeError(error)) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('ProtobufSerializer', () => {
  it('is recognised by the first four bytes', () => {
    expect(serializer.recognizes(DEPLOYMENT)).to.equal(true);
    for (const other of ['', 'k8s', 'k8s:enc:aesgcm:v1:a:', '{}']) {
      expect(serializer.recognizes(Buffer.from(other)), other).to.equal(false);
    }
  });

  it('reads what kubectl sends as the JSON it would have sent', () => {
    expect(serializer.decode(DEPLOYMENT)).to.deep.equal({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [
              { name: 'nginx', image: 'nginx:1', ports: [{ containerPort: 80 }], resources: {} },
            ],
          },
        },
        strategy: {},
      },
      status: {},
    });
  });

  it('says what an object is without opening it', () => {
    const { apiVersion, kind, raw } = openEnvelope(DEPLOYMENT);
    expect({ apiVersion, kind, bytes: raw.byteLength }).to.deep.equal({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      bytes: 186,
    });
  });

  it('reads every field of every built-in kind', () => {
    let kinds = 0;
    for (const name of builtInTypes().names()) {
      const type = builtInTypes().get(name);
      if (!type.isKind) continue;
      const kind = name.slice(name.indexOf('.') + 1);
      const [wire, json] = fullSample(type);
      const decoded = serializer.decode(envelope(type.apiVersion, kind, wire));
      expect(decoded, kind).to.deep.equal({ apiVersion: type.apiVersion, kind, ...json });
      kinds += 1;
    }
    expect(kinds).to.be.greaterThan(150);
  });

  it('reads JSON in the envelope, of any kind', () => {
    const raw = Buffer.from('{"kind":"Widget","spec":{"size":1}}');
    const bytes = envelope('example.io/v1', 'Gadget', raw, { contentType: 'application/json' });
    expect(serializer.decode(bytes)).to.deep.equal({
      apiVersion: 'example.io/v1',
      kind: 'Widget',
      spec: { size: 1 },
    });
  });

  it('leaves zeros out where Go does, and writes them where Go does', () => {
    const lease = message([1, message([1, ''], [7, 0], [8, message()])]);
    expect(serializer.decode(envelope('coordination.k8s.io/v1', 'Lease', lease))).to.deep.equal({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {},
      spec: {},
    });
    expect(serializer.decode(envelope('v1', 'Pod', message()))).to.deep.equal({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {},
      spec: { containers: null },
      status: {},
    });
    const empty = serializer.decode(
      envelope('apps/v1', 'ReplicaSet', message([2, message([1, 0])])),
    );
    expect(empty['spec']).to.deep.equal({
      replicas: 0,
      selector: null,
      template: { metadata: {}, spec: { containers: null } },
    });
    expect(empty['status']).to.deep.equal({ replicas: 0 });
  });

  it('writes times, also those that were never set', () => {
    const times = message([6, message([1, 0], [2, 999])], [10, message([1, 1], [2, 1_999])]);
    const event = serializer.decode(envelope('v1', 'Event', times));
    expect(event).to.include({
      firstTimestamp: '1970-01-01T00:00:00Z',
      lastTimestamp: null,
      eventTime: '1970-01-01T00:00:01.000001Z',
    });
  });

  it('joins a message that comes in parts, and lets the last of two scalars count', () => {
    const parts = configMap([1, message([1, 'a'], [3, 'shop'])], [1, message([1, 'b'])]);
    expect(parts['metadata']).to.deep.equal({ name: 'b', namespace: 'shop' });
  });

  it('reads lists of numbers packed and one by one', () => {
    const context = message([4, Uint8Array.of(1, 2, 0x80, 1)], [4, 3]);
    const pod = serializer.decode(envelope('v1', 'Pod', message([2, message([14, context])])));
    expect(pod)
      .to.have.nested.property('spec.securityContext.supplementalGroups')
      .that.eqls([1, 2, 128, 3]);
  });

  it('keeps keys that name parts of every object as plain data', () => {
    const { data } = configMap([2, message([1, '__proto__'], [2, 'x'])], [2, message()]);
    expect(Object.entries(data as object)).to.deep.equal([
      ['__proto__', 'x'],
      ['', ''],
    ]);
    expect(({} as { x?: string }).x).to.equal(undefined);
  });

  it('names the kind and the field it does not know', () => {
    expect(refusal(envelope('v1', 'Gadget', message()))).to.include({
      code: 'UNSUPPORTED_ENCODING',
      message: 'protobuf of "v1 Gadget", which is not a built-in kind',
    });
    const unknown = message([2, message([2, message([1, 'web'], [99, 'x'])])]);
    expect(refusal(envelope('v1', 'Pod', unknown))).to.include({
      code: 'UNSUPPORTED_ENCODING',
      message: 'Pod.spec.containers has a field of number 99, which Container is not known to have',
    });
  });

  it('looks neither at the encoding nor at the type that the envelope names, as kube-apiserver', () => {
    const named = message([1, message([1, 'a'])]);
    for (const options of [{ contentType: 'application/cbor' }, { contentEncoding: 'gzip' }]) {
      const read = serializer.decode(envelope('v1', 'ConfigMap', named, options));
      expect(read.metadata).to.include({ name: 'a' });
    }
    const packed = gzipSync(named);
    const { code } = refusal(envelope('v1', 'ConfigMap', packed, { contentEncoding: 'gzip' }));
    expect(code).to.equal('MALFORMED_OBJECT');
  });

  const MALFORMED: Readonly<Record<string, readonly [Uint8Array, string]>> = {
    'a length beyond the end': [Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f), 'ConfigMap'],
    'a number without an end': [Uint8Array.of(0x20, ...Array<number>(20).fill(0xff)), 'immutable'],
    'another wire type': [
      message([1, 5]),
      'ConfigMap.metadata: its wire type is 0 and has to be 2',
    ],
    'a group': [Uint8Array.of(0x0b), 'ConfigMap.metadata: its wire type is 3'],
    'a field of number 0': [Uint8Array.of(0x02, 0), 'ConfigMap: 2 is not the tag of a field'],
    'text that is not UTF-8': [message([1, message([1, Uint8Array.of(0xff)])]), 'metadata.name'],
    'a year after 9999': [message([1, message([8, message([1, 2 ** 50])])]), 'creationTimestamp'],
    'an entry of a map with a third part': [
      message([2, message([3, 'x'])]),
      'ConfigMap.data has a field of number 3',
    ],
    'managed fields that are no JSON': [
      message([1, message([17, message([7, message([1, '{"a":NaN}'])])])]),
      'not valid JSON',
    ],
    'an endless list of nothing': [
      message([1, Buffer.concat(Array<Uint8Array>(250_000).fill(message([13, message()])))]),
      'more than 200000 messages',
    ],
  };
  for (const [what, [raw, place]] of Object.entries(MALFORMED)) {
    it(`refuses ${what}, and says where`, () => {
      const error = refusal(envelope('v1', 'ConfigMap', raw));
      expect(error.message).to.contain(place);
      if (!what.startsWith('an entry')) expect(error.code).to.equal('MALFORMED_OBJECT');
    });
  }

  it('refuses a broken envelope', () => {
    for (const text of [
      '',
      'k8s',
      '{}',
      'k8s\0\x0a',
      'k8s\0\x0a\x05abc',
      'k8s\0\x2a\0',
      'k8s\0\x08\x01',
    ]) {
      expect(refusal(Buffer.from(text, 'latin1')).code, JSON.stringify(text)).to.equal(
        'MALFORMED_OBJECT',
      );
    }
    expect(refusal(Buffer.from('k8s\0')).code).to.equal('UNSUPPORTED_ENCODING');
  });

  it('gives an object or a typed error for 30 000 frames with something broken in them', () => {
    const random = seededRandom('protobuf frames');
    const below = (limit: number): number => Math.floor(random() * limit);
    const [pod] = fullSample(builtInTypes().get('core.ServiceAccount'));
    const frames = [DEPLOYMENT, envelope('v1', 'ServiceAccount', pod)];
    const outcomes: Record<string, number> = {
      object: 0,
      MALFORMED_OBJECT: 0,
      UNSUPPORTED_ENCODING: 0,
    };
    for (let round = 0; round < 30_000; round += 1) {
      let frame = Buffer.from(frames[round % frames.length]!);
      for (let change = below(3); change >= 0; change -= 1) {
        const place = 4 + below(Math.max(1, frame.length - 4));
        const kind = below(4);
        if (kind === 0) frame[place] = below(256);
        else if (kind === 1) frame = frame.subarray(0, place);
        else if (kind === 2)
          frame = Buffer.concat([frame.subarray(0, place), frame.subarray(place + 1 + below(4))]);
        else
          frame = Buffer.concat([
            frame.subarray(0, place),
            frame.subarray(below(place)),
            frame.subarray(place),
          ]);
      }
      try {
        JSON.stringify(serializer.decode(frame, { strict: true }));
        outcomes['object']! += 1;
      } catch (error) {
        if (!isSchemeError(error)) throw error;
        outcomes[error.code]! += 1;
      }
    }
    for (const [outcome, count] of Object.entries(outcomes)) {
      expect(count, outcome).to.be.greaterThan(300);
    }
  });
});
