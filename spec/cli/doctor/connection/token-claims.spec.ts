import { expect } from 'chai';
import { tokenClaims } from '../../../../lib/cli/doctor/connection/credentials-step.ts';
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
    const other = ['', 'abc', 'a.b', 'a.b.c', 'a.bnVsbA.c', 'a.e30.b.c'];
    expect(other.map(tokenClaims)).to.deep.equal(other.map(() => undefined));
    expect(tokenClaims('a.e30.c')).to.not.equal(undefined);
  });

  it('are not read from a token of more than 64 KiB', () => {
    expect(tokenClaims(tokenWith({ sub: 'x'.repeat(40_000) }))).to.have.property('subject');
    expect(tokenClaims(tokenWith({ sub: 'x'.repeat(60_000) }))).to.equal(undefined);
  });
});
