import { inspect } from 'node:util';
import { expect } from 'chai';
import { proxyOf } from '../../../lib/client/config/proxy-environment.ts';
import { thrownBy } from '../support/failure-of.ts';

const SECURE = 'https://api.shop.test:6443';
const PLAIN = 'http://api.shop.test:8080';

type Env = Record<string, string>;

/** The URL and the variable, or `direct`. */
function route(server: string, env: Env): string {
  const proxy = proxyOf(server, env);
  return proxy === undefined ? 'direct' : `${proxy.url} of ${proxy.source}`;
}

describe('the proxy of the environment', () => {
  const choices: [what: string, server: string, env: Env, expected: string][] = [
    ['no variable', SECURE, {}, 'direct'],
    ['HTTPS_PROXY for https', SECURE, { HTTPS_PROXY: 'http://p:1' }, 'http://p:1 of HTTPS_PROXY'],
    ['https_proxy for https', SECURE, { https_proxy: 'http://p:1' }, 'http://p:1 of https_proxy'],
    [
      'upper case before lower case',
      SECURE,
      { https_proxy: 'http://l:1', HTTPS_PROXY: 'http://u:1' },
      'http://u:1 of HTTPS_PROXY',
    ],
    [
      'lower case if upper case is empty',
      SECURE,
      { HTTPS_PROXY: ' ', https_proxy: 'http://l:1' },
      'http://l:1 of https_proxy',
    ],
    ['HTTP_PROXY not for https', SECURE, { HTTP_PROXY: 'http://p:1' }, 'direct'],
    ['HTTP_PROXY for http', PLAIN, { HTTP_PROXY: 'http://p:1' }, 'http://p:1 of HTTP_PROXY'],
    ['http_proxy for http', PLAIN, { http_proxy: 'http://p:1' }, 'http://p:1 of http_proxy'],
    ['HTTPS_PROXY not for http', PLAIN, { HTTPS_PROXY: 'http://p:1' }, 'direct'],
    ['HTTP_PROXY not in CGI', PLAIN, { HTTP_PROXY: 'http://p:1', REQUEST_METHOD: 'GET' }, 'direct'],
    ['http_proxy not in CGI', PLAIN, { http_proxy: 'http://p:1', REQUEST_METHOD: 'GET' }, 'direct'],
    [
      'HTTP_PROXY with an empty REQUEST_METHOD',
      PLAIN,
      { HTTP_PROXY: 'http://p:1', REQUEST_METHOD: '' },
      'http://p:1 of HTTP_PROXY',
    ],
    [
      'HTTPS_PROXY in CGI',
      SECURE,
      { HTTPS_PROXY: 'http://p:1', REQUEST_METHOD: 'GET' },
      'http://p:1 of HTTPS_PROXY',
    ],
    ['ALL_PROXY for https', SECURE, { ALL_PROXY: 'socks5://p:1' }, 'socks5://p:1 of ALL_PROXY'],
    ['all_proxy for http', PLAIN, { all_proxy: 'socks5h://p' }, 'socks5h://p of all_proxy'],
    [
      'ALL_PROXY last',
      SECURE,
      { ALL_PROXY: 'http://all:1', https_proxy: 'http://p:1' },
      'http://p:1 of https_proxy',
    ],
    ['host and port', SECURE, { HTTPS_PROXY: 'p.test:3128' }, 'http://p.test:3128 of HTTPS_PROXY'],
    [
      'address and port',
      SECURE,
      { HTTPS_PROXY: '10.0.0.9:3128' },
      'http://10.0.0.9:3128 of HTTPS_PROXY',
    ],
    ['host alone', SECURE, { HTTPS_PROXY: 'p.test' }, 'http://p.test of HTTPS_PROXY'],
    [
      'user and host alone',
      SECURE,
      { HTTPS_PROXY: 'u:p@p.test' },
      'http://u:p@p.test of HTTPS_PROXY',
    ],
    ['an https proxy', SECURE, { HTTPS_PROXY: 'https://p.test' }, 'https://p.test of HTTPS_PROXY'],
    ['spaces around it', SECURE, { HTTPS_PROXY: '  http://p:1 ' }, 'http://p:1 of HTTPS_PROXY'],
    ['NO_PROXY', SECURE, { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'shop.test' }, 'direct'],
    ['no_proxy', SECURE, { HTTPS_PROXY: 'http://p:1', no_proxy: 'shop.test' }, 'direct'],
    [
      'NO_PROXY with ALL_PROXY',
      SECURE,
      { ALL_PROXY: 'http://p:1', NO_PROXY: 'shop.test' },
      'direct',
    ],
    [
      'NO_PROXY before no_proxy',
      SECURE,
      { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'other.test', no_proxy: 'shop.test' },
      'http://p:1 of HTTPS_PROXY',
    ],
    [
      'an invalid proxy for an excluded server',
      SECURE,
      { HTTPS_PROXY: 'ftp://p', NO_PROXY: '*' },
      'direct',
    ],
  ];
  for (const [what, server, env, expected] of choices) {
    it(`with ${what} is ${expected}`, () => {
      expect(route(server, env)).to.equal(expected);
    });
  }

  const exclusions: [list: string, server: string, excluded: boolean][] = [
    ['', 'https://localhost:6443', true],
    ['', 'https://LocalHost', true],
    ['', 'https://127.0.0.1:6443', true],
    ['', 'https://127.200.1.9', true],
    ['', 'https://[::1]:6443', true],
    ['', 'https://[::ffff:127.0.0.1]', true],
    ['', 'https://[::2]', false],
    ['', 'https://localhost.test', false],
    ['', 'https://kube.localhost', false],
    ['', 'https://10.0.0.1', false],
    ['*', 'https://api.shop.test', true],
    ['*', 'https://10.0.0.1', true],
    ['a.test, * ,b.test', 'https://api.shop.test', true],
    ['*.*', 'https://api.shop.test', false],
    ['api.shop.test', 'https://api.shop.test', true],
    ['API.Shop.Test', 'https://api.shop.test', true],
    ['shop.test', 'https://API.shop.test', true],
    ['shop.test', 'https://shop.test', true],
    ['shop.test', 'https://a.b.shop.test', true],
    ['shop.test', 'https://workshop.test', false],
    ['shop.test', 'https://shop.test.example', false],
    ['.shop.test', 'https://api.shop.test', true],
    ['.shop.test', 'https://shop.test', false],
    ['.shop.test', 'https://workshop.test', false],
    ['*.shop.test', 'https://api.shop.test', true],
    ['*.shop.test', 'https://shop.test', false],
    ['test', 'https://shop.test', true],
    ['.', 'https://shop.test', false],
    ['*.', 'https://shop.test', false],
    ['shop.test:6443', 'https://api.shop.test:6443', true],
    ['shop.test:6443', 'https://api.shop.test', false],
    ['shop.test:443', 'https://api.shop.test', true],
    ['shop.test:80', 'http://api.shop.test', true],
    ['shop.test:', 'https://api.shop.test', true],
    ['.shop.test:6443', 'https://api.shop.test:6443', true],
    ['.shop.test:6443', 'https://shop.test:6443', false],
    ['*.shop.test:6443', 'https://api.shop.test:6443', true],
    [':6443', 'https://api.shop.test:6443', false],
    ['  , ,api.shop.test', 'https://api.shop.test', true],
    [',,', 'https://api.shop.test', false],
    ['api.shop.test other.test', 'https://api.shop.test', false],
    ['10.0.0.1', 'https://10.0.0.1:6443', true],
    ['10.0.0.1', 'https://10.0.0.10', false],
    ['10.0.0.1:6443', 'https://10.0.0.1:6443', true],
    ['10.0.0.1:6443', 'https://10.0.0.1:443', false],
    ['10.0.0.1', 'https://[::ffff:10.0.0.1]', true],
    ['0.0.1', 'https://10.0.0.1', true],
    ['10.0.0.0/8', 'https://10.250.3.4', true],
    ['10.0.0.0/8', 'https://11.0.0.1', false],
    ['10.1.2.3/24', 'https://10.1.2.200', true],
    ['10.0.0.4/30', 'https://10.0.0.7', true],
    ['10.0.0.4/30', 'https://10.0.0.8', false],
    ['0.0.0.0/0', 'https://8.8.8.8', true],
    ['10.0.0.0/8', 'https://10.shop.test', false],
    ['10.0.0.0/33', 'https://10.0.0.0', false],
    ['10.0.0.0/', 'https://10.0.0.0', false],
    ['10.0.0/8', 'https://10.0.0.0', false],
    ['2001:db8::1', 'https://[2001:db8::1]', true],
    ['2001:db8::1', 'https://[2001:0db8:0:0::0001]:6443', true],
    ['2001:DB8::1', 'https://[2001:db8::1]', true],
    ['[2001:db8::1]', 'https://[2001:db8::1]', true],
    ['2001:db8::1', 'https://[2001:db8::2]', false],
    ['[2001:db8::1]:6443', 'https://[2001:db8::1]:6443', true],
    ['[2001:db8::1]:6443', 'https://[2001:db8::1]', false],
    ['2001:db8::/32', 'https://[2001:db8:ffff::9]', true],
    ['2001:db8::/32', 'https://[2001:db9::9]', false],
    ['2001:db8:a::45/64', 'https://[2001:db8:a::123]', true],
    ['::/129', 'https://[2001:db8::1]', false],
    ['::/0', 'https://[2001:db8::1]', true],
    ['bücher.test', 'https://shop.xn--bcher-kva.test', true],
    ['.bücher.test', 'https://shop.bücher.test', true],
    ['xn--bcher-kva.test', 'https://bücher.test', true],
    ['exa%mple.test', 'https://exaxmple.test', false],
  ];
  for (const [list, server, excluded] of exclusions) {
    it(`with NO_PROXY "${list}" is ${excluded ? 'not ' : ''}used for ${server}`, () => {
      const env = { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://p:1', NO_PROXY: list };
      expect(proxyOf(server, env) === undefined).to.equal(excluded);
    });
  }

  const invalid: [value: string, problem: string][] = [
    ['ftp://canary:canary@p', 'its scheme is none of http://, https://, socks5:// and socks5h://'],
    ['socks4://p', 'its scheme is none of'],
    ['http://canary:ca/nary@p:1', 'it is not a URL'],
    ['http://canary:1/canary@p:1', 'write the characters % / ? # @ and : of a user or password as'],
    ['http://canary:%zz@p:1', 'write the characters % / ? # @ and : of a user or password as'],
    ['http://p:99999', 'it is not a URL; expected http://HOST:PORT'],
    ['http://:canary@p:1', 'it has a password without a user'],
    ['socks5://', 'it has no host; expected http://HOST:PORT'],
    [`socks5://canary:${'x'.repeat(256)}@p`, 'more than the 255 bytes that SOCKS can carry'],
  ];
  for (const [value, problem] of invalid) {
    it(`is an error that names the variable for ${value.slice(0, 30)}`, () => {
      const error = thrownBy(() => proxyOf(SECURE, { https_proxy: value }));
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message).to.include('the variable https_proxy: ').and.to.include(problem);
      expect(error.message).not.to.include('canary');
      expect(inspect(error, { depth: 9, showHidden: true })).not.to.match(/canary|nary@/);
    });
  }

  it('shows its password to nothing that prints it', () => {
    const proxy = proxyOf(SECURE, { HTTPS_PROXY: 'http://dev:canary@p:1' });
    expect(proxy?.url).to.include('canary');
    const printed = inspect(proxy, { depth: 9, showHidden: true }) + JSON.stringify(proxy);
    expect(printed).to.include('HTTPS_PROXY').and.not.to.include('canary');
  });
});
