import { expect } from 'chai';
import { ListwatchError } from '../../lib/kernel/failure/errors.ts';
import {
  apiVersionOf,
  groupResource,
  parseApiVersion,
  resourcePath,
} from '../../lib/meta/resource.ts';

const pods = { group: '', version: 'v1', resource: 'pods' };
const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };

describe('resourcePath', () => {
  it('builds the path of collections, objects and subresources', () => {
    expect(resourcePath(pods)).to.equal('/api/v1/pods');
    expect(resourcePath(pods, { namespace: '' })).to.equal('/api/v1/pods');
    expect(resourcePath(deployments)).to.equal('/apis/apps/v1/deployments');
    expect(resourcePath(pods, { namespace: 'shop' })).to.equal('/api/v1/namespaces/shop/pods');
    expect(
      resourcePath(deployments, { namespace: 'shop', name: 'web', subresource: 'status' }),
    ).to.equal('/apis/apps/v1/namespaces/shop/deployments/web/status');
    const nodes = { group: '', version: 'v1', resource: 'nodes' };
    expect(resourcePath(nodes, { name: 'n1' })).to.equal('/api/v1/nodes/n1');
  });

  it('lets no name leave its place in the path', () => {
    for (const name of ['../secrets', 'a/b', 'a?watch=1', 'a#b', '%2e%2e', 'ä b']) {
      const path = resourcePath(pods, { namespace: 'shop', name });
      const { pathname, search, hash } = new URL(path, 'http://host');
      expect(pathname).to.equal(path);
      expect(search + hash).to.equal('');
      expect(path.split('/')).to.have.length(7);
      expect(decodeURIComponent(path.split('/')[6] as string)).to.equal(name);
    }
    for (const name of ['', '.', '..']) {
      expect(() => resourcePath(pods, { name }))
        .to.throw(ListwatchError, 'name in a path')
        .with.property('code', 'INVALID_OPTION');
    }
    expect(() => resourcePath(pods, { namespace: '..' })).to.throw(
      ListwatchError,
      'namespace in a path',
    );
  });

  it('refuses half a character with its code, and takes a whole one', () => {
    expect(() => resourcePath(pods, { namespace: 'a', name: 'x\ud800' }))
      .to.throw(ListwatchError)
      .with.property('code', 'INVALID_OPTION');
    expect(resourcePath(pods, { name: '\u{1f433}' })).to.match(/\/%F0%9F%90%B3$/);
  });
});

describe('parseApiVersion', () => {
  it('takes it apart, and apiVersionOf puts it together', () => {
    expect(parseApiVersion('v1')).to.deep.equal({ group: '', version: 'v1' });
    expect(parseApiVersion('apps/v1')).to.deep.equal({ group: 'apps', version: 'v1' });
    for (const text of ['v1', 'apps/v1'])
      expect(apiVersionOf(parseApiVersion(text))).to.equal(text);
  });

  it('refuses anything else', () => {
    for (const text of ['', '/', 'a/', '/v1', 'a/b/c']) {
      expect(() => parseApiVersion(text))
        .to.throw(ListwatchError, JSON.stringify(text))
        .with.property('code', 'INVALID_API_VERSION');
    }
  });
});

describe('groupResource', () => {
  it('names a resource as messages do', () => {
    expect(groupResource(pods)).to.equal('pods');
    expect(groupResource(deployments)).to.equal('deployments.apps');
  });
});
