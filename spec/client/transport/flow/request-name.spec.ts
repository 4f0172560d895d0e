import { expect } from 'chai';
import type { TransportRequest } from '../../../../lib/client/transport/contract/transport.ts';
import { requestName } from '../../../../lib/client/transport/flow/request-name.ts';

type Row = readonly [
  method: TransportRequest['method'],
  path: string,
  verb: string,
  resource: string,
  template: string,
];

const PODS = '/api/v1/namespaces/{namespace}/pods';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/{namespace}/deployments';

const ROWS: readonly Row[] = [
  ['GET', '/api/v1/pods', 'list', 'pods', '/api/v1/pods'],
  ['GET', '/api/v1/pods?limit=500&watch=false', 'list', 'pods', '/api/v1/pods'],
  ['GET', '/api/v1/pods?labelSelector=a&watch=true', 'watch', 'pods', '/api/v1/pods'],
  ['GET', '/api/v1/pods?watch=1', 'watch', 'pods', '/api/v1/pods'],
  ['GET', '/api/v1/namespaces/shop/pods', 'list', 'pods', PODS],
  ['GET', '/api/v1/namespaces/shop/pods/web-1', 'get', 'pods', `${PODS}/{name}`],
  ['GET', '/api/v1/namespaces/shop/pods/web-1/log', 'get', 'pods/log', `${PODS}/{name}/log`],
  ['POST', '/api/v1/namespaces/shop/pods', 'create', 'pods', PODS],
  [
    'PUT',
    '/api/v1/namespaces/shop/pods/web-1/status',
    'update',
    'pods/status',
    `${PODS}/{name}/status`,
  ],
  ['DELETE', '/api/v1/namespaces/shop/pods', 'deletecollection', 'pods', PODS],
  ['DELETE', '/api/v1/namespaces/shop/pods/web-1', 'delete', 'pods', `${PODS}/{name}`],
  [
    'PATCH',
    '/apis/apps/v1/namespaces/a/deployments/b',
    'patch',
    'deployments.apps',
    `${DEPLOYMENTS}/{name}`,
  ],
  [
    'GET',
    '/apis/apps/v1/namespaces/a/deployments/b/scale',
    'get',
    'deployments.apps/scale',
    `${DEPLOYMENTS}/{name}/scale`,
  ],
  ['GET', '/api/v1/namespaces', 'list', 'namespaces', '/api/v1/namespaces'],
  ['GET', '/api/v1/namespaces/shop', 'get', 'namespaces', '/api/v1/namespaces/{name}'],
  [
    'PUT',
    '/api/v1/namespaces/shop/finalize',
    'update',
    'namespaces/finalize',
    '/api/v1/namespaces/{name}/finalize',
  ],
  [
    'PUT',
    '/api/v1/namespaces/shop/status',
    'update',
    'namespaces/status',
    '/api/v1/namespaces/{name}/status',
  ],
  ['GET', '/api/v1/namespaces/status/pods', 'list', 'pods', PODS],
  [
    'GET',
    '/api/v1/nodes/n1/proxy/logs/secret/file',
    'get',
    'nodes/proxy',
    '/api/v1/nodes/{name}/proxy/{path}',
  ],
  ['GET', '/version', 'get', '/version', '/version'],
  ['GET', '/api', 'get', '/api', '/api'],
  ['GET', '/api/v1', 'get', '/api/v1', '/api/v1'],
  ['GET', '/apis/apps/v1', 'get', '/apis/apps/v1', '/apis/apps/v1'],
  ['GET', '/openapi/v3/apis/apps/v1?hash=x', 'get', '/openapi/{path}', '/openapi/{path}'],
  ['GET', '/', 'get', '/', '/'],
];

describe('requestName', () => {
  for (const [method, path, verb, resource, template] of ROWS) {
    it(`calls ${method} ${path} ${verb} of ${resource}`, () => {
      expect(requestName({ method, path })).to.deep.equal({ verb, resource, template });
    });
  }

  it('takes a stream of a collection for a watch, and one of an object not', () => {
    const list = { method: 'GET', path: '/api/v1/pods', stream: true } as const;
    expect(requestName(list).verb).to.equal('watch');
    const log = { ...list, path: '/api/v1/namespaces/a/pods/b/log?follow=true' };
    expect(requestName(log).verb).to.equal('get');
  });

  it('has the same name for all objects and namespaces of a resource', () => {
    const names = new Set(
      Array.from({ length: 100 }, (_, index) =>
        JSON.stringify(
          requestName({
            method: 'GET',
            path: `/api/v1/namespaces/n${index}/secrets/s${index}?x=${index}`,
          }),
        ),
      ),
    );
    expect(names.size).to.equal(1);
  });
});
