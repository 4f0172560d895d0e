import { expect } from 'chai';
import { socketPathOf } from '../../../../lib/server/storage/encryption/plugin-endpoint.ts';

describe('socketPathOf', () => {
  it('is the path of a socket, decoded, or a name in the abstract namespace', () => {
    expect(socketPathOf('unix:///run/kms.sock')).to.equal('/run/kms.sock');
    expect(socketPathOf('UNIX:///run/a%20b')).to.equal('/run/a b');
    expect(socketPathOf('unix:///@kms')).to.equal('\0kms');
  });

  it('is undefined for another scheme, for no path and for what cannot be read', () => {
    for (const endpoint of [
      'http://localhost/kms.sock',
      '/run/kms.sock',
      'unix://[',
      'unix:',
      'unix:///',
      'unix:run/kms.sock',
      'unix:///%ff',
    ]) {
      expect(socketPathOf(endpoint), endpoint).to.equal(undefined);
    }
  });
});
