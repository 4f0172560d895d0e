import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS } from '../gadgets.ts';
import { call } from '../support.ts';
import { definitions } from './custom-definitions.ts';

/** The addresses of the documents of kube-apiserver 1.37.2 for `definitions`: their hashes cover every byte of them. */
const ADDRESSES: Readonly<Record<string, string>> = {
  'apis/h6.example.com/v1':
    '9FE13B3A98BC6FDFDFFA6C4FBFA6291E570A8C28870356E31A8DF66AB2D3F71F6B3219B1C6E24D3BCC8FECED0F7ABBC043177AA2B28EFEDB82D3ABA434DDED26',
  'apis/h6.example.com/v1alpha1':
    '1246EBF6657AFD02027B04896313D8E09030D1DBB7AA07946979FBA06BE382EEF6F932B181A82EDEB2CD3B6407C568AB2339BF90A876A9400E06B7E02C2314A0',
};
/** Of the paths and the definitions of the group in its `/openapi/v2`, as JSON. */
const SWAGGER_SHA256 = '0f1754962efb9a11bb2608fb0ad376f0538ac15cbbd59bb6fea11ab354327bfe';

describe('OpenAPI of custom resources', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = new ApiServer();
    for (const body of definitions) {
      const { status, text } = await call(server.handler, 'POST', DEFINITIONS, { body });
      expect(status, text).to.equal(201);
    }
  });
  afterEach(() => server.close());

  it('is that of kube-apiserver to the byte, in version 3', async () => {
    const { paths } = (await call(server.handler, 'GET', '/openapi/v3')).json() as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    for (const [path, hash] of Object.entries(ADDRESSES)) {
      expect(paths[path]?.serverRelativeURL, path).to.equal(`/openapi/v3/${path}?hash=${hash}`);
    }
  });

  it('is that of kube-apiserver in version 2', async () => {
    const swagger = (await call(server.handler, 'GET', '/openapi/v2')).json();
    const ofGroup = (member: string): object => {
      const all = Object.entries(swagger[member] as Record<string, unknown>);
      return Object.fromEntries(
        all.filter(([name]) => name.includes('h6.example') || name.includes('example.h6')),
      );
    };
    const text = JSON.stringify([ofGroup('paths'), ofGroup('definitions')]);
    expect(createHash('sha256').update(text).digest('hex')).to.equal(SWAGGER_SHA256);
  });

  it('is gone when a version is no longer served', async () => {
    const path = '/openapi/v3/apis/h6.example.com/v1alpha1';
    expect((await call(server.handler, 'GET', path)).status).to.equal(200);
    const headers = { 'content-type': 'application/json-patch+json' };
    const body = [{ op: 'replace', path: '/spec/versions/1/served', value: false }];
    const pears = `${DEFINITIONS}/pears.h6.example.com`;
    const { status, text } = await call(server.handler, 'PATCH', pears, { headers, body });
    expect(status, text).to.equal(200);
    expect((await call(server.handler, 'GET', path)).status).to.equal(404);
    const swagger = (await call(server.handler, 'GET', '/openapi/v2')).json();
    expect(swagger['definitions']).not.to.have.property('com.example.h6.v1alpha1.Pears');
    expect(swagger['definitions']).to.have.property('com.example.h6.v1.Pears');
  });
});
