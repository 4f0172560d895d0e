import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import {
  certificateParts,
  derElements,
  type CertificateParts,
} from '../../../../lib/server/api/certificates/client-certificates.ts';
import * as der from '../../../../lib/kernel/certificates/der.ts';
import { forgedCertificate, type CertificateForm } from '../../../security/forged-certificate.ts';

const BASIC_CONSTRAINTS = '2.5.29.19';
const UID = '1.3.6.1.4.1.57683.2';
const NAMED = { subject: [['CN', 'jane']] } as const;

function partsOf(form: CertificateForm): CertificateParts {
  return certificateParts(new X509Certificate(forgedCertificate(form).certificate));
}

/** A certificate with this subject, and nothing else that is true of one. */
function withSubject(...attributes: readonly Buffer[]): CertificateParts {
  const algorithm = der.sequence(der.objectIdentifier('1.2.3'));
  const empty = der.sequence();
  const subject = der.sequence(...attributes.map((one) => der.set(one)));
  const body = der.sequence(der.integer(Buffer.of(1)), algorithm, empty, empty, subject, empty);
  const raw = der.sequence(body, algorithm, der.bitString(Buffer.of(0)));
  return certificateParts({ raw: Buffer.from(raw) });
}

describe('the parts of a certificate', () => {
  it('are its critical extensions, and not the others', () => {
    expect(partsOf(NAMED).critical).to.deep.equal([BASIC_CONSTRAINTS]);
    const unknown = partsOf({ ...NAMED, unknownCriticalExtension: true, dnsNames: ['a.example'] });
    expect(unknown.critical).to.deep.equal([BASIC_CONSTRAINTS, '1.2.3.4']);
  });

  it('are the algorithm of its signature', () => {
    expect(partsOf(NAMED).algorithm).to.equal('1.2.840.10045.4.3.2');
    expect(partsOf({ ...NAMED, hash: 'sha1' }).algorithm).to.equal('1.2.840.10045.4.1');
  });

  it('are the user ids of its subject, in their order', () => {
    expect(partsOf(NAMED).uids).to.deep.equal([]);
    const several = partsOf({
      subject: [
        ['UID', 'a'],
        ['CN', 'jane'],
        ['UID', 'ü'],
      ],
    });
    expect(several.uids).to.deep.equal(['a', 'ü']);
  });

  it('are read without a version and without extensions', () => {
    const uid = der.sequence(der.objectIdentifier(UID), der.utf8String('a'));
    expect(withSubject(uid)).to.deep.equal({ critical: [], algorithm: '1.2.3', uids: ['a'] });
  });

  it('have undefined for a user id that is no text, or is missing', () => {
    const id = der.objectIdentifier(UID);
    const number = der.sequence(id, der.integer(Buffer.of(1)));
    expect(withSubject(number, der.sequence(id)).uids).to.deep.equal([undefined, undefined]);
  });

  it('are empty for bytes in which nothing is, and cannot be read where these end within an element', () => {
    for (const raw of [Buffer.alloc(0), Buffer.of(0x30, 0)]) {
      expect(certificateParts({ raw })).to.deep.equal({ critical: [], algorithm: '', uids: [] });
    }
    const { raw } = new X509Certificate(forgedCertificate(NAMED).certificate);
    for (const length of [1, 2, 10, raw.length - 1]) {
      const cut = raw.subarray(0, length);
      expect(() => certificateParts({ raw: cut }), String(length)).to.throw(/element/);
    }
    // The outer length is right; one within is too long.
    const [whole] = derElements(raw);
    const inner = Buffer.from(whole?.content ?? []);
    inner[2] = 0xff;
    expect(() => certificateParts({ raw: Buffer.from(der.sequence(inner)) })).to.throw(/element/);
  });
});
