import { expect } from 'chai';
import { webhookPath } from '../../../lib/server/webhooks/webhook-caller.ts';

/** The paths of URLs, and those at which kube-apiserver v1.36.3 called the webhooks. */
const CALLED: readonly (readonly [path: string, called: string])[] = [
  ['', '/'],
  ['/', '/'],
  ['//', '/'],
  ['//..', '/'],
  ['/./', '/'],
  ['//x', '/x'],
  ['/x/', '/x'],
  ['/x//y/', '/x/y'],
  ['/x/./y/../z', '/x/z'],
  ['/a%2Fb', '/a/b'],
  ['/a%2f%2fb', '/a/b'],
  ['/a%2F..%2Fb', '/b'],
  ['/a%20b', '/a%20b'],
  ['/a b', '/a%20b'],
  ['/%C3%A9', '/%C3%A9'],
  ['/é', '/%C3%A9'],
  ['/%ff', '/%FF'],
  ['/%7Euser', '/~user'],
  ['/a%25b', '/a%25b'],
  ['/a%3Fb', '/a%3Fb'],
  ['/a%5C', '/a%5C'],
  ['/a;b|c', '/a;b%7Cc'],
  ["/a'b(c)*!", '/a%27b%28c%29%2A%21'],
  ['/a:b@c&d=e+f$g,h', '/a:b@c&d=e+f$g,h'],
  ['/a[b]', '/a%5Bb%5D'],
];

describe('webhookPath', () => {
  for (const [path, called] of CALLED) {
    it(`calls ${JSON.stringify(path)} at ${called}`, () => {
      expect(webhookPath(path)).to.equal(called);
    });
  }

  it('resolves what it returns to itself', () => {
    for (const [, called] of CALLED) expect(webhookPath(called)).to.equal(called);
  });

  it('takes a percent sign without two digits for itself', () => {
    expect(webhookPath('/a%zz')).to.equal('/a%25zz');
  });
});
