import { X509Certificate, createPrivateKey } from 'node:crypto';
import { expect } from 'chai';
import { selfSignedCertificate } from '../../../../lib/server/api/http/self-signed-certificate.ts';

const DAY_MS = 86_400_000;

function make(hosts: readonly string[], nowMs: number = Date.UTC(2030, 0, 15)): X509Certificate {
  const { certificate, privateKey } = selfSignedCertificate({
    hosts,
    nowMs,
    serial: new Uint8Array(16).fill(0xff),
  });
  const parsed = new X509Certificate(certificate);
  expect(parsed.checkPrivateKey(createPrivateKey(privateKey))).to.equal(true);
  return parsed;
}

describe('self-signed certificate', () => {
  it('is signed by its own key, and an authority', () => {
    const certificate = make(['localhost']);
    expect(certificate.verify(certificate.publicKey)).to.equal(true);
    expect(certificate.checkIssued(certificate)).to.equal(true);
    expect(certificate.ca).to.equal(true);
    expect(certificate.subject).to.equal('CN=listwatch');
    expect(certificate.serialNumber).to.equal('7F'.padEnd(32, 'F'));
  });

  it('is valid for the hosts it was made for, and no other', () => {
    const certificate = make([
      'localhost',
      '127.0.0.1',
      '::1',
      'fe80::12:a',
      'api.example.io',
      '::ffff:10.0.0.1',
    ]);
    expect(certificate.checkHost('localhost')).to.equal('localhost');
    expect(certificate.checkHost('api.example.io')).to.equal('api.example.io');
    expect(certificate.checkHost('example.io')).to.equal(undefined);
    for (const address of ['127.0.0.1', '::1', 'fe80::12:a', '::ffff:10.0.0.1']) {
      expect(certificate.checkIP(address), address).to.equal(address);
    }
    expect(certificate.checkIP('127.0.0.2')).to.equal(undefined);
  });

  it('holds from a day before to ten years after it was made, also beyond 2049', () => {
    for (const nowMs of [
      Date.UTC(2024, 1, 29, 12, 30, 15),
      Date.UTC(2048, 5, 1),
      Date.UTC(2060, 5, 1),
    ]) {
      const { validFrom, validTo } = make(['localhost'], nowMs);
      expect(Date.parse(validFrom)).to.equal(nowMs - DAY_MS);
      expect(Date.parse(validTo)).to.equal(nowMs + 3650 * DAY_MS);
    }
  });
});
