import { inspect } from 'node:util';
import { expect } from 'chai';
import { TransportError } from '../../../../lib/client/transport/contract/transport-error.ts';

describe('TransportError', () => {
  const target = { server: 'https://host:6443', method: 'GET', path: '/api/v1/pods?token=secret' };

  it('names method, address and path, and never the query', () => {
    const cause = new Error('reset');
    const error = new TransportError('CONNECTION_FAILED', target, 'it was reset', { cause });
    expect(error).to.include({
      code: 'CONNECTION_FAILED',
      method: 'GET',
      url: 'https://host:6443/api/v1/pods',
      message: 'GET https://host:6443/api/v1/pods: it was reset',
      cause,
    });
  });

  it('has the problem without the exchange, and the exchange without its query', () => {
    const hide = (text: string): string => text;
    const error = new TransportError('CERTIFICATE', { ...target, hide }, 'it was reset');
    expect(error.problem).to.equal('it was reset');
    expect(error.request).to.deep.equal({
      server: 'https://host:6443',
      method: 'GET',
      path: '/api/v1/pods',
    });
    expect(inspect(error)).not.to.contain('secret');
  });

  it('takes a path without a query as it is', () => {
    const { url } = new TransportError('CONNECTION_FAILED', { ...target, path: '/version' }, 'no');
    expect(url).to.equal('https://host:6443/version');
  });
});
