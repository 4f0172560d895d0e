import { expect } from 'chai';
import { questionOf } from '../../../../lib/server/access/authorization/request-question.ts';

const user = { username: 'me', groups: [] };

/** Verb, group, version, resource/subresource, namespace and name; or verb and path. */
function shown(method: string, url: string): string {
  const { verb, isResource, path, ...rest } = questionOf(user, method, url);
  if (!isResource) return `${verb} ${path}`;
  const { group, version, resource, subresource, namespace, name } = rest;
  return [verb, group, version, `${resource}/${subresource}`, namespace, name].join(' ');
}

// As RequestInfo of kube-apiserver 1.36.3 reads them.
const ROWS: readonly (readonly [method: string, url: string, question: string])[] = [
  ['GET', '/', 'get /'],
  ['POST', '/version?x=1', 'post /version'],
  ['GET', '/api/v1', 'get /api/v1'],
  ['GET', '/apis/apps/v1', 'get /apis/apps/v1'],
  ['GET', '/apis/apps/v1/', 'get /apis/apps/v1/'],
  ['GET', '/api/v1/pods', 'list  v1 pods/  '],
  ['GET', '//api/v1/pods/', 'list  v1 pods/  '],
  ['GET', '/api/v1/namespaces/a/pods', 'list  v1 pods/ a '],
  ['GET', '/api/v1/namespaces//pods', 'list  v1 pods/  '],
  ['GET', '/api/v1/namespaces/a', 'get  v1 namespaces/ a a'],
  ['PUT', '/api/v1/namespaces/a/finalize', 'update  v1 namespaces/finalize a a'],
  ['GET', '/api/v1/namespaces/a/pods/b/log', 'get  v1 pods/log a b'],
  ['GET', '/api/v1/namespaces/a/services/b/proxy/x/y', 'get  v1 services/proxy a b'],
  ['GET', '/apis/apps/v1/deployments?watch=1', 'watch apps v1 deployments/  '],
  ['GET', '/apis/apps/v1/deployments?watch=false', 'list apps v1 deployments/  '],
  ['GET', '/apis/apps/v1/namespaces/a/deployments/b?watch=1', 'get apps v1 deployments/ a b'],
  ['GET', '/api/v1/watch/namespaces/a/pods/b', 'watch  v1 pods/ a b'],
  ['HEAD', '/api/v1/pods', 'list  v1 pods/  '],
  ['POST', '/api/v1/namespaces/a/pods', 'create  v1 pods/ a '],
  ['PATCH', '/api/v1/namespaces/a/pods/b', 'patch  v1 pods/ a b'],
  ['DELETE', '/api/v1/namespaces/a/pods/b', 'delete  v1 pods/ a b'],
  ['DELETE', '/api/v1/namespaces/a/pods', 'deletecollection  v1 pods/ a '],
  ['OPTIONS', '/api/v1/pods', '  v1 pods/  '],
  ['GET', '/api/v1/namespaces/a%2Fsecrets/b', 'get  v1 secrets/ a b'],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Db', 'list  v1 pods/  b'],
  ['GET', '/api/v1/pods?watch=1&fieldSelector=metadata.name%3D%3Db', 'watch  v1 pods/  b'],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name!%3Db', 'list  v1 pods/  '],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Da%2Fb', 'list  v1 pods/  '],
  ['GET', '/api/v1/pods?fieldSelector=%3D%3D%3D', 'list  v1 pods/  '],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Db;', 'list  v1 pods/  '],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Db&limit=x', 'list  v1 pods/  '],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Db&timeoutSeconds=x', 'list  v1 pods/  '],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Db&labelSelector=!!', 'list  v1 pods/  '],
  ['GET', '/api/v1/pods?watch=%zz', 'list  v1 pods/  '],
  ['constructor', '/api/v1/pods', '  v1 pods/  '],
  ['DELETE', '/api/v1/pods?fieldSelector=metadata.name%3Db', 'deletecollection  v1 pods/  '],
];

describe('what a request asks for', () => {
  for (const [method, url, question] of ROWS) {
    it(`is "${question}" for ${method} ${url}`, () => {
      expect(shown(method, url)).to.equal(question);
    });
  }

  it('is read of a path of any length in one pass', () => {
    const slashes = '/'.repeat(100_000);
    expect(shown('GET', `${slashes}x${slashes}x`)).to.equal(`get ${slashes}x${slashes}x`);
  });
});
