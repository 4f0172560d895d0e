import { expect } from 'chai';
import protobuf from 'protobufjs';
import {
  dataKeyProblem,
  decodeEncryptedObject,
  encodeDataHead,
  encodeDataKey,
  type EncryptedObject,
} from '../../../../lib/server/storage/encryption/encrypted-object.ts';

/** The message in the language of protobuf, read by another implementation. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message EncryptedObject {
    bytes encryptedData = 1;
    string keyID = 2;
    bytes encryptedDEKSource = 3;
    map<string, bytes> annotations = 4;
    int32 encryptedDEKSourceType = 5;
    string later = 6;
    fixed64 much = 7;
    fixed32 later4 = 200;
    uint64 count = 9;
  }
`);
const message = root.lookupType('EncryptedObject');

const object: EncryptedObject = {
  data: Buffer.alloc(300, 'd'),
  keyId: 'kek-1',
  source: Buffer.from('wrapped'),
  sourceType: 'seed',
  annotations: new Map([
    ['b.example.com', Buffer.from('2')],
    ['a.example.com', Buffer.alloc(200, 'a')],
  ]),
};
const fields = {
  encryptedData: object.data,
  keyID: 'kek-1',
  encryptedDEKSource: object.source,
  annotations: Object.fromEntries(object.annotations),
  encryptedDEKSourceType: 1,
};

const encode = (one: EncryptedObject): Uint8Array =>
  Buffer.concat([encodeDataHead(one.data.length), one.data, encodeDataKey(one)]);
const plain = (one: EncryptedObject): object => ({
  ...one,
  data: Buffer.from(one.data),
  source: Buffer.from(one.source),
  annotations: new Map([...one.annotations].map(([name, value]) => [name, Buffer.from(value)])),
});

describe('the encrypted object of the KMS interface', () => {
  it('is read by another protobuf implementation as it was written', () => {
    for (const length of [1, 127, 128, 16_383, 16_384, 2_097_152]) {
      const data = Buffer.alloc(length, 'x');
      const read = message.toObject(message.decode(encode({ ...object, data })));
      expect(read).to.deep.equal({ ...fields, encryptedData: data });
    }
    const withKey = encode({ ...object, sourceType: 'key', annotations: new Map() });
    expect(message.toObject(message.decode(withKey))).to.deep.equal({
      encryptedData: object.data,
      keyID: 'kek-1',
      encryptedDEKSource: object.source,
    });
  });

  it('reads what another implementation wrote, in any order and with fields of later versions', () => {
    const written = message
      .encode({ ...fields, later: 'x', much: 7, later4: 8, count: 2 ** 40 })
      .finish();
    expect(plain(decodeEncryptedObject(written))).to.deep.equal(plain(object));
    const parts = [
      { encryptedDEKSourceType: 1 },
      { annotations: fields.annotations },
      { keyID: 'kek-1' },
    ];
    const rest = { encryptedDEKSource: object.source, encryptedData: object.data };
    const shuffled = [...parts, rest].map((part) => message.encode(part).finish());
    expect(plain(decodeEncryptedObject(Buffer.concat(shuffled)))).to.deep.equal(plain(object));
  });

  it('refuses what is cut off at any byte, or continued with nonsense', () => {
    const whole = encode(object);
    for (let length = 0; length < whole.length; length += 1) {
      let read: EncryptedObject | undefined;
      try {
        read = decodeEncryptedObject(whole.subarray(0, length));
      } catch {
        continue;
      }
      // Cut between two fields: the ones that are there are what they were, and the rest is missing.
      expect(read.keyId).to.equal('kek-1');
      expect(read.annotations.size < 2 || read.sourceType === 'key').to.equal(true);
    }
    for (const tail of [
      '00',
      '07',
      '0b',
      '0c',
      'ff',
      '0affffffff0f',
      '08ffffffffffffffffffff01',
      '0aff',
    ]) {
      expect(() =>
        decodeEncryptedObject(Buffer.concat([whole, Buffer.from(tail, 'hex')])),
      ).to.throw(/cut off or changed/);
    }
    const badText = message.encode({ ...fields, keyID: '' }).finish();
    const bytes = Buffer.concat([badText, Buffer.from('1201ff', 'hex')]);
    expect(() => decodeEncryptedObject(bytes)).to.throw(/cut off or changed/);
  });

  it('refuses what Kubernetes refuses', () => {
    const cases: [object, RegExp][] = [
      [{ encryptedData: Buffer.alloc(0) }, /data is empty/],
      [{ keyID: '' }, /key id is empty/],
      [{ keyID: 'ä'.repeat(513) }, /more than 1024 bytes/],
      [{ encryptedDEKSource: Buffer.alloc(0) }, /wrapped data key is empty/],
      [{ encryptedDEKSource: Buffer.alloc(1025) }, /more than 1024 bytes/],
      [{ encryptedDEKSourceType: 2 }, /is unknown/],
      [{ encryptedDEKSourceType: -1 }, /is unknown/],
      [{ annotations: { 'a.example.com': Buffer.alloc(32 * 1024) } }, /more than 32768 bytes/],
      ...[
        '',
        'short',
        '__proto__',
        'Upper.example',
        'a..b',
        '-a.b',
        'a.b-',
        `${'a'.repeat(64)}.b`,
      ].map((name): [object, RegExp] => [
        { annotations: new Map([[name, Buffer.of(1)]]) },
        /domain name/,
      ]),
    ];
    for (const [change, reason] of cases) {
      const { annotations } = change as { annotations?: Map<string, Uint8Array> };
      const bytes =
        annotations instanceof Map
          ? encode({ ...object, annotations })
          : message.encode({ ...fields, ...change }).finish();
      expect(() => decodeEncryptedObject(bytes), JSON.stringify(change)).to.throw(reason);
    }
    const largest = { keyId: 'k'.repeat(1024), source: Buffer.alloc(1024) };
    expect(dataKeyProblem({ ...object, ...largest })).to.equal(undefined);
    expect(dataKeyProblem({ ...object, annotations: new Map([['a.b.', Buffer.of()]]) })).to.equal(
      undefined,
    );
  });
});
