import { expect } from 'chai';
import { certificateProblem } from '../../../../../lib/server/registry/kinds/certificates/signing-request.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

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
