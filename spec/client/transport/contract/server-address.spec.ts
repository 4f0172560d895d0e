import { expect } from 'chai';
import {
  isLoopback,
  parseServerAddress,
} from '../../../../lib/client/transport/contract/server-address.ts';
import { thrownBy } from '../../support/failure-of.ts';

describe('parseServerAddress', () => {
  it('keeps scheme, host, port and path, and no slash at the end', () => {
    for (const [given, text, secure, host] of [
      ['https://10.0.0.1:6443', 'https://10.0.0.1:6443', true, '10.0.0.1'],
      ['http://a.example/', 'http://a.example', false, 'a.example'],
      ['https://a.example:443//', 'https://a.example', true, 'a.example'],
      ['https://a/k8s/clusters/c-1///', 'https://a/k8s/clusters/c-1', true, 'a'],
      ['http://[::1]:80/', 'http://[::1]', false, '[::1]'],
    ] as const) {
      expect(parseServerAddress(given)).to.deep.equal({ text, secure, host });
    }
  });

  it('refuses other schemes, credentials, queries and fragments, and repeats no secret', () => {
    for (const [given, problem] of [
      ['10.0.0.1', 'it is not a URL; expected https://HOST:PORT'],
      ['ftp://a', 'it starts with ftp:// instead of https:// or http://'],
      ['https://canary@a', 'it carries credentials; give a token or a client certificate instead'],
      ['https://:canary@a', 'it carries credentials; give a token or a client certificate instead'],
      ['https://a/?canary', 'it has a query or a fragment'],
      ['https://a/#canary', 'it has a query or a fragment'],
    ] as const) {
      const error = thrownBy(() => parseServerAddress(given));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.contain(`the server address cannot be used: ${problem}`);
      expect(error.message).not.to.contain('canary');
    }
  });
});

describe('isLoopback', () => {
  it('is true for localhost, its subdomains, ::1 and 127.0.0.0/8 alone', () => {
    for (const host of ['localhost', 'a.localhost', '[::1]', '127.0.0.1', '127.255.255.254']) {
      expect(isLoopback(host), host).to.equal(true);
    }
    for (const host of [
      'localhost.example',
      'mylocalhost',
      '::1',
      '[::2]',
      '128.0.0.1',
      '127.0.0',
      '127.0.0.1.example',
      '1127.0.0.1',
    ]) {
      expect(isLoopback(host), host).to.equal(false);
    }
  });
});
