import { expect } from 'chai';
import { decodeStored } from '../../../../lib/server/storage/scheme/decode-stored.ts';
import { Scheme } from '../../../../lib/server/storage/scheme/scheme.ts';
import type { Transformer } from '../../../../lib/server/storage/value/transformer.ts';
import { envelope, message } from '../../../meta/protobuf/protobuf-writer.ts';

const NAMESPACE = envelope('v1', 'Namespace', message([1, message([1, 'shop'])]));

/** Inverts all bits; for one key only. */
const inverting: Transformer = {
  fromStorage: async (data, { key }) => {
    if (key !== '/registry/namespaces/shop') throw new Error(`not at ${key}`);
    return await Promise.resolve({ data: data.map((byte) => ~byte & 0xff), stale: true });
  },
  toStorage: (data) => data,
};

describe('decodeStored', () => {
  it('turns protobuf as it lies in etcd into the JSON of the API', async () => {
    expect(await decodeStored(NAMESPACE)).to.deep.equal({
      encoding: 'protobuf',
      stale: false,
      object: {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'shop' },
        spec: {},
        status: {},
      },
    });
  });

  it('undoes what a transformer did, and says whether it would do it differently now', async () => {
    const bytes = NAMESPACE.map((byte) => ~byte & 0xff);
    const key = '/registry/namespaces/shop';
    const document = await decodeStored(bytes, { key, transformer: inverting });
    expect(document.stale).to.equal(true);
    expect(document.object.metadata?.name).to.equal('shop');
    const elsewhere = await decodeStored(bytes, { transformer: inverting }).catch(String);
    expect(elsewhere).to.contain('not at');
  });

  it('brings it into the version of a scheme', async () => {
    const [v1, v2] = ['v1', 'v2'].map((version) => ({ group: 'a.io', version, kind: 'A' }));
    const scheme = new Scheme()
      .addKnownType(v2!)
      .addKnownType(v1!)
      .addConversion(v1!, v2!, (object) => object);
    const bytes = Buffer.from('{"apiVersion":"a.io/v1","kind":"A"}');
    expect(await decodeStored(bytes, { scheme })).to.deep.equal({
      encoding: 'json',
      stale: false,
      object: { apiVersion: 'a.io/v2', kind: 'A' },
    });
    expect((await decodeStored(bytes)).object.apiVersion).to.equal('a.io/v1');
  });

  it('says of an encrypted value that it is one, not what is in it', async () => {
    const bytes = Buffer.from('k8s:enc:aescbc:v1:key1:hunter2');
    const failure = await decodeStored(bytes, { key: '/registry/secrets/shop/a' }).catch(
      (error: unknown) => error as Error,
    );
    expect(failure)
      .to.have.property('message')
      .that.contains('encrypted')
      .and.not.contains('hunter2');
  });
});
