import { NEWEST_MINOR } from '../../../../lib/meta/releases/kubernetes-releases.ts';
import { expect } from 'chai';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { openApiArchive } from '../../../../lib/server/api/openapi/open-api-archive.ts';
import { call } from '../support.ts';

describe('the OpenAPI documents of a server with all kinds', () => {
  it('are those of kube-apiserver to the byte', async () => {
    await using server = new ApiServer();
    const archive = await openApiArchive(NEWEST_MINOR);
    const { paths } = (await call(server.handler, 'GET', '/openapi/v3')).json() as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(paths)).to.deep.equal(archive.paths().toSorted());
    for (const [path, { serverRelativeURL }] of Object.entries(paths)) {
      const { text } = await call(server.handler, 'GET', serverRelativeURL);
      expect(text === archive.bytes(`v3/${path}`).toString(), path).to.equal(true);
    }
    const { text } = await call(server.handler, 'GET', '/openapi/v2');
    expect(text === archive.bytes('v2').toString(), 'version 2').to.equal(true);
  });
});
