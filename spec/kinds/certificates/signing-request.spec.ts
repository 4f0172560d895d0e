import { expect } from 'chai';
import {
  certificateProblem,
  organisationsOf,
  requestProblem,
} from '../../../lib/kinds/certificates/signing-request.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const KEY = `MIIBSzCBtQIBADAMMQowCAYDVQQDDAFqMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB
iQKBgQC0vQOfc1+3ZQg7SqpCnVNRjlR3ckcjbptEOuz+ZdPmoMQcejQcD8zRzjmW
bFro4o8GZAARg+9J235glPL0f3MEQrH85eV9qsr4L/I+Udh7xxbfpCbpRxGLfWls
VCnrgm2JiF29MskyHeFHaoH49rG9Bl4A5E/Diwc/o+pytkepTQIDAQABoAAwDQYJ
`;
const SIGNED = {
  'MD5 and RSA': `${KEY}KoZIhvcNAQEEBQADgYEAGJpW/0y7fi2AQuLab6yhOFOPL5E88eAB/uhkgYXy7kwZ
5zkxmTQuqhczX72ds56w+9W+weIiGqGYIMMXhCsB2qR4eHxxexmN/v9+RBd5kO87
T5U8W0JwLE8GitXk0bI4yehbtgG/8ZkY3p07LiKjuyrqrvUO0uIFZnnlGefCBHg=`,
  'SHA-1 and RSA': `${KEY}KoZIhvcNAQEFBQADgYEAfK2DqkSVn9ItZw/0EqFMjNfdjmGb24OE+OT7yQoKZZj4
CEDLHkaRGQp/Q5XHgo5V/duNFG6QGKPrMoV9KPOFqhdnYLyCzvZNkMcc1ERdI3fc
x44KjiyVdJtt8h/5e+YKIodKAMtltuPNCca3eFsVL4ttTHOknu9TBO9MxZ8yQ/0=`,
  'SHA-224 and RSA': `${KEY}KoZIhvcNAQEOBQADgYEAe/g9jeQov6cb5PZVEhvaJM8mdmZG6RUt2lMz9H0DFYDk
YUHXo7XpxzLplCGe4vEMdhzy/ectHbTHeN8ouIh5VZykwYfpCWo+kaQVLGSzErNc
k6RFfGJ+KQbRH3b+bLTjjtjSCK3KQR7ICDpg3MBgiWhJPszodz2SodR9qrmZnXg=`,
  'SHA-1 and ECDSA': `MIHGMG4CAQAwDDEKMAgGA1UEAwwBajBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BFR2x4s2bj4vMdzgoQ+OtEqBOvCB3d5cytawBV/jAWPKUln2AbJS6RS2raZVBxUZ
jTq028IUX7fx/rhGJcZLAAigADAJBgcqhkjOPQQBA0kAMEYCIQDxxr32mlFlQoeQ
fVHp2jcp95SQiSlfgIQKvU5/rkGPjAIhANzjbRrzLxFQFkhVs8W8ckXtUR+poBrS
VdDqeKgzTOu+`,
  Ed25519: `MIGLMD8CAQAwDDEKMAgGA1UEAwwBajAqMAUGAytlcAMhAAoWQDdG9KKrAgO4IlqE
+G1K0+jOLbfKdGL5Cd93d0oEoAAwBQYDK2VwA0EAVL5EDZxesYO3HINaI3qQK5La
Ic76wBbfWlRzsj2WPQs9uCRoqU4+Z2gcsucDUDfzmJfVwkc/Vl39G+iqQuc8Dg==`,
} as const;

function pem(body: string): string {
  const type = 'CERTIFICATE REQUEST';
  return base64(`-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`);
}

describe('a certificate signing request', () => {
  // Each as kube-apiserver 1.36.3 answers it.
  for (const [how, problem] of [
    ['MD5 and RSA', 'x509: cannot verify signature: insecure algorithm MD5-RSA'],
    ['SHA-1 and RSA', undefined],
    ['SHA-224 and RSA', 'x509: cannot verify signature: algorithm unimplemented'],
    ['SHA-1 and ECDSA', undefined],
    ['Ed25519', undefined],
  ] as const) {
    it(`that is signed with ${how} is ${problem === undefined ? 'accepted' : 'refused'}`, () => {
      expect(requestProblem(pem(SIGNED[how]))).to.equal(problem);
    });
  }

  it('with another signature is refused in words for each kind of key', () => {
    // Another common name than the one that was signed.
    const changed = (body: string): string =>
      pem(body.replace('AwwBaj', 'AwwBaz').replace('DAFqMI', 'DAFrMI'));
    expect(requestProblem(changed(SIGNED['SHA-1 and RSA']))).to.equal(
      'crypto/rsa: verification error',
    );
    expect(requestProblem(changed(SIGNED['SHA-1 and ECDSA']))).to.equal(
      'x509: ECDSA verification failure',
    );
    expect(requestProblem(changed(SIGNED.Ed25519))).to.equal('x509: Ed25519 verification failure');
  });

  it('that cannot be read has no organisations', () => {
    expect(organisationsOf(pem(SIGNED.Ed25519))).to.deep.equal([]);
    for (const request of [undefined, '', 'bm90aGluZw==', pem('AAAA')]) {
      expect(organisationsOf(request)).to.deep.equal([]);
    }
  });
});

describe('a chain of certificates', () => {
  it('may be taken away, and empty', () => {
    expect(certificateProblem(undefined)).to.equal(undefined);
    expect(certificateProblem('')).to.equal(undefined);
  });

  it('has blocks of certificates, and those only', () => {
    expect(certificateProblem(base64('nothing'))).to.equal(
      'must contain at least one CERTIFICATE PEM block',
    );
    const key = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n';
    expect(certificateProblem(base64(key))).to.equal(
      'only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
    );
    expect(certificateProblem(base64(key.replaceAll('PRIVATE KEY', 'CERTIFICATE')))).to.equal(
      'x509: malformed certificate',
    );
  });
});
