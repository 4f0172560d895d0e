import { expect } from 'chai';
import { secrets } from '../../../lib/kinds/core/secrets.ts';

const base64 = (...lines: readonly string[]): string =>
  Buffer.from(lines.join('\n')).toString('base64');

describe('a secret of a certificate and its key', () => {
  it('is warned of a key that is encrypted, which has headers', () => {
    const certificate = ['-----BEGIN CERTIFICATE-----', 'YQ==', '-----END CERTIFICATE-----'];
    const key = [
      '-----BEGIN RSA PRIVATE KEY-----',
      'Proc-Type: 4,ENCRYPTED',
      'DEK-Info: AES-128-CBC,00',
      '',
      'YQ==',
      '-----END RSA PRIVATE KEY-----',
    ];
    const data = { 'tls.crt': base64(...certificate), 'tls.key': base64(...key) };
    const secret = { metadata: { name: 'a' }, type: 'kubernetes.io/tls', data };
    expect(secrets.strategy?.warnings?.(secret)).to.deep.equal([
      'tls: failed to parse private key',
    ]);
  });
});
