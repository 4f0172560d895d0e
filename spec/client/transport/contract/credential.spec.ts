import { inspect } from 'node:util';
import { expect } from 'chai';
import { Credential, samePem } from '../../../../lib/client/transport/contract/credential.ts';
import { thrownBy } from '../../support/failure-of.ts';

const CERT = '-----BEGIN CERTIFICATE-----\nA\n';
const KEY = '-----BEGIN PRIVATE KEY-----\nB\n';

describe('samePem', () => {
  it('compares the bytes, whether they are given as text or as bytes', () => {
    expect(samePem(CERT, CERT)).to.equal(true);
    expect(samePem(CERT, Buffer.from(CERT))).to.equal(true);
    expect(samePem(Buffer.from(CERT), CERT)).to.equal(true);
    expect(samePem(Buffer.from(CERT), Buffer.from(CERT))).to.equal(true);
    expect(samePem(CERT, KEY)).to.equal(false);
    expect(samePem(Buffer.from(CERT), Buffer.from(KEY))).to.equal(false);
  });

  it('finds an absent text equal only to an absent one, and not to an empty one', () => {
    expect(samePem(undefined, undefined)).to.equal(true);
    expect(samePem(CERT, undefined)).to.equal(false);
    expect(samePem(undefined, CERT)).to.equal(false);
    expect(samePem(undefined, '')).to.equal(false);
    expect(samePem('', undefined)).to.equal(false);
  });
});

describe('Credential', () => {
  it('equals another with the same header, certificate and key, wherever it comes from', () => {
    const one = new Credential({ authorization: 'Basic a', cert: CERT, key: KEY, source: 'one' });
    const same = { authorization: 'Basic a', cert: Buffer.from(CERT), key: Buffer.from(KEY) };
    expect(one.equals(new Credential({ ...same, source: 'other' }))).to.equal(true);
    for (const part of ['authorization', 'cert', 'key'] as const) {
      for (const value of ['changed', undefined]) {
        const other = new Credential({ ...same, [part]: value, source: 'one' });
        expect([one.equals(other), other.equals(one)], part).to.deep.equal([false, false]);
      }
    }
  });

  it('keeps what it was given, plain bytes as a buffer, and shows only its source', () => {
    const bytes = new Uint8Array(Buffer.from(KEY));
    const given = new Credential({ authorization: 'Basic a', cert: CERT, key: bytes, source: 's' });
    expect([given.authorization, given.cert]).to.deep.equal(['Basic a', CERT]);
    expect(given.key).to.deep.equal(Buffer.from(KEY));
    expect(JSON.stringify(given)).to.equal('{"source":"s"}');
    expect(inspect(given)).to.equal("Credential { source: 's' }");
    const empty = new Credential({ source: 's' });
    expect([empty.authorization, empty.cert, empty.key]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('accepts the printable characters of ASCII in a header, spaces too, and no others', () => {
    for (const authorization of [' ', '~', 'Basic a b']) {
      expect(new Credential({ authorization, source: 's' }).authorization).to.equal(authorization);
    }
    for (const authorization of ['', 'a\n', '\na', 'a\x1fb', 'a\x7fb', 'é']) {
      const error = thrownBy(() => new Credential({ authorization, source: 'the header' }));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.contain('the header has characters that cannot stand in a header');
    }
  });

  it('makes the header of a bearer token, and names the source of an unusable token', () => {
    expect(Credential.bearer('!~', 's')).to.include({ source: 's', authorization: 'Bearer !~' });
    for (const [token, text] of [
      ['', 'the token is empty'],
      ['a b', 'the token has spaces or characters'],
      ['a\n', 'the token has spaces or characters'],
      [' a', 'the token has spaces or characters'],
      ['a\x7f', 'the token has spaces or characters'],
      [null, 'the token must be a string, not null'],
      [undefined, 'the token must be a string, not undefined'],
      [1, 'the token must be a string, not number'],
    ] as const) {
      const error = thrownBy(() => Credential.bearer(token as string, 'the token'));
      expect(error.code).to.equal('INVALID_OPTION');
      expect(error.message).to.contain(text);
    }
  });
});
