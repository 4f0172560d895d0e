import { inspect } from 'node:util';
import { expect } from 'chai';
import { parseProxyAddress } from '../../../../lib/client/transport/contract/proxy-address.ts';
import { thrownBy } from '../../support/failure-of.ts';

describe('parseProxyAddress', () => {
  it('reads scheme, host and port, with the standard port where none is given', () => {
    for (const [given, protocol, host, port, text] of [
      ['http://a', 'http', 'a', 80, 'http://a:80'],
      ['https://a', 'https', 'a', 443, 'https://a:443'],
      ['socks5://a', 'socks5', 'a', 1080, 'socks5://a:1080'],
      ['socks5h://a:1', 'socks5', 'a', 1, 'socks5h://a:1'],
      ['http://a:3128/', 'http', 'a', 3128, 'http://a:3128'],
      ['http://[::1]:3128', 'http', '::1', 3128, 'http://[::1]:3128'],
    ] as const) {
      const address = parseProxyAddress(given);
      expect(address).to.include({ protocol, host, port, text });
      expect([address.user, address.password]).to.deep.equal([undefined, undefined]);
    }
  });

  it('decodes user and password, and shows neither', () => {
    const address = parseProxyAddress('http://us%40er:canary%2F%3A@a:1');
    expect([address.user, address.password]).to.deep.equal(['us@er', 'canary/:']);
    expect(inspect(address, { depth: 9 }) + JSON.stringify(address) + address.text)
      .not.to.contain('canary')
      .and.not.to.contain('us@er');
    const user = parseProxyAddress('socks5://only@a');
    expect([user.user, user.password]).to.deep.equal(['only', undefined]);
  });

  it('accepts a user and a password of 255 bytes for SOCKS, and of any length for HTTP', () => {
    const most = 'é'.repeat(127) + 'x';
    const user = encodeURIComponent(most);
    expect(parseProxyAddress(`socks5://${user}:${user}@a`)).to.include({
      user: most,
      password: most,
    });
    for (const credentials of [`${user}y:b`, `b:${user}y`, `${user}y`]) {
      const error = thrownBy(() => parseProxyAddress(`socks5://${credentials}@a`));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.contain('has more than the 255 bytes that SOCKS can carry');
      expect(parseProxyAddress(`http://${credentials}@a`).host).to.equal('a');
    }
  });

  it('refuses a URL that it cannot use, with a remedy and without the URL', () => {
    for (const [given, problem] of [
      ['a', 'it is not a URL; expected http://HOST:PORT, and write the characters % / ?'],
      ['http://u:canary:1', 'it is not a URL'],
      ['ftp://canary', 'its scheme is none of http://, https://, socks5:// and socks5h://'],
      ['socks5:canary', 'it has no host; expected http://HOST:PORT'],
      ['http://u:1/canary@a', 'write the characters % / ? # @ and : of a user or password as %25'],
      ['http://u:1?canary@a', 'write the characters % / ? # @ and : of a user or password as %25'],
      ['http://u:1#canary@a', 'write the characters % / ? # @ and : of a user or password as %25'],
      ['http://u%:canary@a', 'write the characters % / ? # @ and : of a user or password as %25'],
      ['http://u:canary%@a', 'write the characters % / ? # @ and : of a user or password as %25'],
      ['http://:canary@a', 'it has a password without a user; expected http://USER:PASSWORD@HOST'],
    ] as const) {
      const error = thrownBy(() => parseProxyAddress(given));
      expect(error.code, given).to.equal('INVALID_OPTION');
      expect(error.message, given).to.contain(`the proxy URL cannot be used: ${problem}`);
      expect(error.message).not.to.contain('canary');
    }
  });
});
