import { NEWEST_MINOR } from '../../../../../lib/meta/releases/kubernetes-releases.ts';
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { encodeVersion2, encodeVersion3 } from '../../../../../lib/server/api/openapi/open-api.ts';
import { openApiArchive } from '../../../../../lib/server/api/openapi/open-api-archive.ts';

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The protobuf documents of kube-apiserver 1.37.2. */
const VERSION_3: Readonly<Record<string, string>> = {
  'api/v1': 'ccc8266a5bbf811bb3fa7f1afa64398ca12e9dee6326309813e37b2370f62680',
  'apis/apps/v1': '4aa686bc3a975ed50cba05a49541fd946fcf7b0fa837126b729db01e1345007e',
  'apis/apiextensions.k8s.io/v1':
    '7a9dba04dac01caac0c5cfdc72bf7c74e9a6244db64c79e8848c374753f72d35',
};

describe('OpenAPI in protobuf', () => {
  it('is that of kube-apiserver to the byte, in version 3', async () => {
    const archive = await openApiArchive(NEWEST_MINOR);
    for (const [path, digest] of Object.entries(VERSION_3)) {
      expect(sha256(encodeVersion3(archive.bytes(`v3/${path}`))), path).to.equal(digest);
    }
  });

  it('is that of kube-apiserver to the byte, in version 2', async () => {
    const archive = await openApiArchive(NEWEST_MINOR);
    const bytes = encodeVersion2(archive.bytes('v2'));
    expect(sha256(bytes)).to.equal(
      '855dac498d9543ca3f93ed82d2910c7da88ac43516d287475287513d07f375df',
    );
  });

  it('keeps zero, false and empty text where the model has a choice of types', () => {
    const encoded = (value: unknown): string => {
      const schema = { default: value };
      const document = { components: { schemas: { A: schema } } };
      return Buffer.from(encodeVersion3(Buffer.from(JSON.stringify(document)))).toString('hex');
    };
    // Field 33 with a message: 8a 02 LENGTH.
    expect(encoded(false)).to.match(/8a02021000$/);
    expect(encoded('')).to.match(/8a02021a00$/);
    expect(encoded(0)).to.match(/8a0209090000000000000000$/);
    expect(encoded({})).to.match(/8a0200$/);
  });

  it('writes negative and large integers', () => {
    const encoded = (value: number): string => {
      const document = { definitions: { A: { maxLength: value } } };
      return Buffer.from(encodeVersion2(Buffer.from(JSON.stringify(document)))).toString('hex');
    };
    expect(encoded(300)).to.match(/58ac02$/);
    expect(encoded(2 ** 53 - 1)).to.match(/58ffffffffffffff0f$/);
    expect(encoded(-1)).to.match(/58ffffffffffffffffff01$/);
  });

  it('leaves out members that the model does not have', () => {
    const with2 = Buffer.from(
      JSON.stringify({ definitions: { A: { type: 'object', anyOf: [{}] } } }),
    );
    const without = Buffer.from(JSON.stringify({ definitions: { A: { type: 'object' } } }));
    expect(encodeVersion2(with2)).to.deep.equal(encodeVersion2(without));
  });
});
