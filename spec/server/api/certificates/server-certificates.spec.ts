import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { ServerCertificates } from '../../../../lib/server/api/certificates/server-certificates.ts';

const DAY_MS = 86_400_000;
const HOSTS = ['localhost', '127.0.0.1'];

describe('ServerCertificates', () => {
  let nowMs = 0;
  const make = (): ServerCertificates =>
    new ServerCertificates({
      runtime: { wallMs: () => nowMs },
      randomBytes: (size) => new Uint8Array(size),
    });
  beforeEach(() => {
    nowMs = Date.UTC(2030, 0, 1);
  });

  it('presents a leaf for its hosts, signed by its authority', () => {
    const certificates = make();
    const leaf = new X509Certificate(certificates.leaf(HOSTS).certificate);
    const authority = new X509Certificate(certificates.authority);
    expect([authority.ca, leaf.ca]).to.deep.equal([true, false]);
    expect(leaf.checkIssued(authority) && leaf.verify(authority.publicKey)).to.equal(true);
    expect(leaf.checkIP('127.0.0.1')).to.equal('127.0.0.1');
    expect(leaf.subject).to.equal('CN=listwatch');
    expect(authority.subject).to.equal('CN=listwatch CA');
  });

  it('keeps the leaf for half of its year, and then presents a new one of the same authority', () => {
    const certificates = make();
    const first = certificates.leaf(HOSTS);
    const { authority } = certificates;
    nowMs += 182 * DAY_MS;
    expect(certificates.leaf(HOSTS)).to.equal(first);
    nowMs += DAY_MS;
    const second = certificates.leaf(HOSTS);
    expect(second).not.to.equal(first);
    expect(certificates.leaf(HOSTS)).to.equal(second);
    expect(certificates.authority).to.equal(authority);
    const { publicKey } = new X509Certificate(authority);
    expect(new X509Certificate(second.certificate).verify(publicKey)).to.equal(true);
    expect(Date.parse(new X509Certificate(second.certificate).validTo)).to.equal(
      nowMs + 365 * DAY_MS,
    );
  });

  it('presents a leaf for other hosts when they change, after the authority was read', () => {
    const certificates = make();
    const { authority } = certificates;
    certificates.leaf(HOSTS);
    const leaf = new X509Certificate(certificates.leaf([...HOSTS, '10.0.0.1']).certificate);
    expect(leaf.checkIP('10.0.0.1')).to.equal('10.0.0.1');
    expect(leaf.verify(new X509Certificate(authority).publicKey)).to.equal(true);
  });
});
