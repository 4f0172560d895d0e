import { expect } from 'chai';
import { requestVerb } from '../../../lib/cli/serve/request-verb.ts';

describe('the verb of a request', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['GET', '/api/v1/pods', 'list'],
    ['GET', '/api/v1/pods?watch=true', 'watch'],
    ['GET', '/api/v1/namespaces/shop/pods/web', 'get'],
    ['POST', '/apis/apps/v1/namespaces/shop/deployments', 'create'],
    ['PATCH', '/apis/apps/v1/namespaces/shop/deployments/web/scale', 'patch'],
    ['DELETE', '/api/v1/namespaces/shop/pods', 'deletecollection'],
    ['GET', '/apis/apps/v1', 'get'],
    ['GET', '/healthz', 'get'],
    ['OPTIONS', '/api/v1/pods', 'options'],
    ['GET', '/api/v1/%zz', 'get'],
  ];
  for (const [method, url, verb] of cases) {
    it(`${method} ${url} is ${verb}`, () => {
      expect(requestVerb(method, url)).to.equal(verb);
    });
  }
});
