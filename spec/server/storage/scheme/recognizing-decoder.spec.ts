import { expect } from 'chai';
import { RecognizingDecoder } from '../../../../lib/server/storage/scheme/recognizing-decoder.ts';
import type { Serializer } from '../../../../lib/server/storage/scheme/serializer.ts';
import { envelope, message } from '../../../meta/protobuf/protobuf-writer.ts';

const decoder = new RecognizingDecoder();

describe('RecognizingDecoder', () => {
  it('goes by what the bytes are', () => {
    const protobuf = envelope('v1', 'ConfigMap', message([1, message([1, 'a'])]));
    const samples = {
      protobuf,
      json: Buffer.from(' \n{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}'),
      yaml: Buffer.from('# one\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'),
    };
    for (const [encoding, bytes] of Object.entries(samples)) {
      expect(decoder.serializerFor(bytes).encoding).to.equal(encoding);
      expect(decoder.decode(bytes)).to.deep.equal({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
      });
    }
  });

  it('says what it does not decode, without showing what may be secret', () => {
    const cases = [
      ['', 'there are no bytes'],
      ['\xd9\xd9\xf7\xa0', 'the bytes are CBOR'],
      ['k8s:enc:aesgcm:v1:key1:hunter2', 'the bytes are encrypted (k8s:enc:aesgcm:v1:key1:)'],
      ['hunter2', 'neither JSON nor YAML nor protobuf'],
      ['\0\0hunter2', 'neither JSON nor YAML nor protobuf'],
    ] as const;
    for (const [text, reason] of cases) {
      const decode = (): unknown => decoder.decode(Buffer.from(text, 'latin1'));
      expect(decode, reason).to.throw(reason).with.property('code', 'UNSUPPORTED_ENCODING');
      expect(decode).not.to.throw('hunter2');
    }
  });

  it('asks serializers of the user in their order', () => {
    const shouting: Serializer = {
      encoding: 'json',
      mediaType: 'text/shout',
      recognizes: (bytes) => bytes[0] === 0x21,
      decode: () => ({ kind: 'Shout' }),
    };
    const own = new RecognizingDecoder([shouting]);
    expect(own.decode(Buffer.from('!'))).to.deep.equal({ kind: 'Shout' });
    expect(() => own.decode(Buffer.from('{}'))).to.throw('neither');
  });
});
