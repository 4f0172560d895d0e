import { expect } from 'chai';
import { tokenClaims } from '../../../../lib/cli/doctor/connection/token-claims.ts';
import { tokenWith } from '../../support/doctor-fixture.ts';

describe('tokenClaims', () => {
  it('reads issuer, subject and validity without a verification', () => {
    const token = tokenWith({ iss: 'https://issuer', sub: 'jane', nbf: 5, exp: 10, extra: 'x' });
    expect(tokenClaims(token)).to.deep.equal({
      issuer: 'https://issuer',
      subject: 'jane',
      notBeforeMs: 5000,
      expiresMs: 10_000,
    });
  });

  it('leaves out claims of another type', () => {
    const token = tokenWith({ iss: 1, sub: {}, exp: 'soon' });
    expect(tokenClaims(token)).to.deep.equal({
      issuer: undefined,
      subject: undefined,
      notBeforeMs: undefined,
      expiresMs: undefined,
    });
  });

  it('has none for tokens of another form', () => {
    const other = ['', 'abc', 'a.b', 'a.b.c', 'a.bnVsbA.c', `a.${'e30'.repeat(40_000)}.c`];
    expect(other.map(tokenClaims)).to.deep.equal(other.map(() => undefined));
  });
});
