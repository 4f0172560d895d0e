import { expect } from 'chai';
import { expiryOf } from '../../../../../lib/client/config/credentials/oidc/oidc-credential-source.ts';

function token(payload: unknown): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(payload)}.sig`;
}

describe('expiryOf', () => {
  it('reads the expiry, which is in seconds', () => {
    expect(expiryOf(token({ exp: 1_700_000_000 }))).to.equal(1_700_000_000_000);
    expect(expiryOf(token({ exp: 1.5 }))).to.equal(1_500);
  });

  it('takes a token without an expiry for one that never expires', () => {
    expect(expiryOf(token({ sub: 'dev' }))).to.equal(Infinity);
  });

  it('is undefined for everything else', () => {
    for (const text of [
      '',
      'opaque',
      'a.b.c',
      'a.b',
      `${token({ exp: 1 })}.more`,
      token(null),
      token([]),
      token('text'),
      token({ exp: 'tomorrow' }),
      token({ exp: null }),
      token({ exp: 1, big: 'x'.repeat(65_536) }),
      token({ exp: 1 }).replace('.', '. '),
    ]) {
      expect(expiryOf(text), text.slice(0, 40)).to.equal(undefined);
    }
  });
});
