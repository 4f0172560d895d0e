import { expect } from 'chai';
import { parseRequestInfo, pathSegments } from '../../../lib/server/http/request-info.ts';

function parse(method: string, path: string, watch: boolean = false): string {
  const info = parseRequestInfo(method, pathSegments(path), watch);
  const { verb, group, version, resource, namespace, name = '-', subresource = '-' } = info;
  return [verb, group || '""', version, resource, namespace || '""', name, subresource].join(' ');
}

function codeOf(method: string, path: string): unknown {
  try {
    parse(method, path);
    return 'nothing thrown';
  } catch (error) {
    return (error as { code: unknown }).code;
  }
}

describe('request info', () => {
  const rows: readonly [method: string, path: string, expected: string][] = [
    ['GET', '/api/v1/pods', 'list "" v1 pods "" - -'],
    ['GET', '/api/v1/namespaces/shop/pods', 'list "" v1 pods shop - -'],
    ['GET', '/api/v1/namespaces/shop/pods/', 'list "" v1 pods shop - -'],
    ['GET', '/api/v1/namespaces/shop/pods/web', 'get "" v1 pods shop web -'],
    ['PUT', '/api/v1/namespaces/shop/pods/web/status', 'update "" v1 pods shop web status'],
    ['POST', '/api/v1/namespaces/shop/pods', 'create "" v1 pods shop - -'],
    ['DELETE', '/api/v1/namespaces/shop/pods', 'deletecollection "" v1 pods shop - -'],
    ['DELETE', '/api/v1/namespaces/shop/pods/web', 'delete "" v1 pods shop web -'],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/shop/deployments/web',
      'patch apps v1 deployments shop web -',
    ],
    ['GET', '/api/v1/namespaces', 'list "" v1 namespaces "" - -'],
    ['GET', '/api/v1/namespaces/shop', 'get "" v1 namespaces "" shop -'],
    ['PUT', '/api/v1/namespaces/shop/finalize', 'update "" v1 namespaces "" shop finalize'],
    ['GET', '/api/v1/namespaces/shop/status', 'get "" v1 namespaces "" shop status'],
    ['GET', '/api/v1/watch/namespaces/shop/pods', 'watch "" v1 pods shop - -'],
    ['GET', '/api/v1/watch/namespaces/shop/pods/web', 'watch "" v1 pods shop web -'],
    ['GET', '/apis/example.io/v1/nodes/a%20b', 'get example.io v1 nodes "" a b -'],
  ];
  for (const [method, path, expected] of rows) {
    it(`reads ${method} ${path} as ${expected}`, () => {
      expect(parse(method, path)).to.equal(expected);
    });
  }

  it('takes a list with the watch parameter as a watch, an object with it as a get', () => {
    expect(parse('GET', '/api/v1/pods', true)).to.match(/^watch/);
    expect(parse('GET', '/api/v1/namespaces/shop/pods/web', true)).to.match(/^get/);
  });

  it('refuses methods without a verb at the place', () => {
    expect(codeOf('PUT', '/api/v1/pods')).to.equal('METHOD_NOT_ALLOWED');
    expect(codeOf('POST', '/api/v1/namespaces/shop/pods/web')).to.equal('METHOD_NOT_ALLOWED');
    expect(codeOf('HEAD', '/api/v1/pods')).to.equal('METHOD_NOT_ALLOWED');
    expect(codeOf('POST', '/api/v1/watch/pods')).to.equal('METHOD_NOT_ALLOWED');
  });

  it('refuses segments that could leave their place in a storage key', () => {
    const pods = '/api/v1/namespaces/shop/pods';
    for (const bad of ['a%00b', '%zz', 'a%25b/status', 'web/proxy/..', 'web/proxy/a%25b']) {
      expect(codeOf('GET', `${pods}/${bad}`), bad).to.equal('BAD_REQUEST');
    }
    for (const nowhere of ['../x', './x', '%2e%2e%2fx', 'web/../proxy/a']) {
      expect(codeOf('GET', `${pods}/${nowhere}`), nowhere).to.equal('NOT_FOUND');
    }
    for (const nowhere of ['/healthz/..', '/../healthz', '/api/..', '/apis/apps/..']) {
      expect(codeOf('GET', nowhere), nowhere).to.equal('NOT_FOUND');
    }
  });

  it('leaves the refusal of a name to the storage', () => {
    for (const [segment, name] of [
      ['..', '..'],
      ['%2e', '.'],
      ['a%25b', 'a%b'],
    ] as const) {
      const segments = pathSegments(`/api/v1/namespaces/shop/pods/${segment}`);
      expect(parseRequestInfo('GET', segments, false).name).to.equal(name);
    }
  });

  it('keeps the path after a subresource, for requests that are passed on', () => {
    const segments = pathSegments('/api/v1/namespaces/shop/pods/web/proxy/a/b');
    expect(parseRequestInfo('GET', segments, false)).to.include({
      subresource: 'proxy',
      path: '/a/b',
    });
  });

  it('takes an escaped slash for a slash, and ignores slashes at the end', () => {
    expect(pathSegments('/apis/apps%2Fv1//')).to.deep.equal(['apis', 'apps', 'v1']);
    expect(pathSegments('/api/v1/namespaces/shop/pods/web%2Fstatus').at(-1)).to.equal('status');
    expect([pathSegments('/'), pathSegments('')]).to.deep.equal([[], []]);
  });

  it('takes an empty namespace for all namespaces', () => {
    expect(parse('GET', '/api/v1/namespaces//pods')).to.equal(parse('GET', '/api/v1/pods'));
  });

  it('finds nothing behind empty segments', () => {
    expect(codeOf('GET', '/api/v1//pods')).to.equal('NOT_FOUND');
    for (const path of ['//', '//api', '/apis//', '/apis//apps', '/apis/apps//v1', '/x//']) {
      expect(codeOf('GET', path), path).to.equal('NOT_FOUND');
    }
  });
});
