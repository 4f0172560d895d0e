import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { DEFINITIONS, gadgets } from './gadgets.ts';
import { call } from './support.ts';

const STATUS = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the server could not find the requested resource',
  reason: 'NotFound',
  details: {},
  code: 404,
};
const PAGE = '404 page not found\n';

/** Recorded: `GET PATH` at kube-apiserver 1.36.3 with the definition `gadgets.h3.example.com`. */
const answers: readonly [path: string, body: object | string][] = [
  ['/nope', PAGE],
  ['/api/nope', STATUS],
  ['/api/v1/nope', STATUS],
  ['/api/v1/namespaces/default/nope/x', STATUS],
  ['/api/v1/namespaces/default/pods/x/nope', STATUS],
  ['/apis/nope', PAGE],
  ['/apis/nope.io/v1', PAGE],
  ['/apis/nope.io/v1/widgets', PAGE],
  ['/apis/apps/v1/nope', STATUS],
  ['/apis/apps/v9', STATUS],
  ['/apis/apps/v9/deployments', STATUS],
  ['/apis/h3.example.com/v9', PAGE],
  ['/apis/h3.example.com/v1/nope', PAGE],
  ['/apis/h3.example.com/v9/gadgets', PAGE],
  ['/apis/h3.example.com/v1/nope/a/b/c/d/e', PAGE],
  ['/openapi/v9', PAGE],
];

describe('unknown paths', () => {
  it('get the answers of kube-apiserver: a Status with empty details, or plain text', async () => {
    await using server = new ApiServer();
    const { status: created } = await call(server.handler, 'POST', DEFINITIONS, { body: gadgets });
    expect(created).to.equal(201);
    for (const [path, body] of answers) {
      const { status, headers, text, json } = await call(server.handler, 'GET', path);
      expect(status, path).to.equal(404);
      if (typeof body === 'string') {
        expect(text, path).to.equal(body);
        expect(headers['content-type'], path).to.equal('text/plain; charset=utf-8');
      } else {
        expect(json(), path).to.deep.equal(body);
      }
    }
  });
});
