import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import {
  CertificateAuthority,
  type Certificate,
  type LeafOptions,
} from '../../../lib/kernel/certificates/certificate-authority.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2030, 0, 15);
const OPENSSL_MS = 600_000;

const run = promisify(execFile);

function authorityAt(nowMs: number = NOW_MS): CertificateAuthority {
  const randomBytes = (size: number): Uint8Array => new Uint8Array(size).fill(0xff);
  return new CertificateAuthority({ name: 'an authority', nowMs, randomBytes });
}

function leafOf(authority: CertificateAuthority, options: Partial<LeafOptions> = {}): Certificate {
  return authority.issue({
    usage: 'server',
    name: 'a server',
    hosts: ['localhost'],
    nowMs: NOW_MS,
    ...options,
  });
}

function parse({ certificate }: Pick<Certificate, 'certificate'>): X509Certificate {
  return new X509Certificate(certificate);
}

/** Runs `openssl` over the PEM of a certificate in a file. Undefined: it is not installed. */
async function openssl(pem: string, args: (file: string) => string[]): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'listwatch-spec-'));
  try {
    const file = join(folder, 'certificate.pem');
    await writeFile(file, pem);
    const { stdout } = await run('openssl', args(file), { timeout: OPENSSL_MS });
    return stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function textOf(pem: string): Promise<string | undefined> {
  return openssl(pem, (file) => ['x509', '-in', file, '-noout', '-text']);
}

/** The extensions in the output of `openssl x509 -text`, by name, one line each. */
function extensionsOf(text: string): Record<string, string> {
  const part = /X509v3 extensions:\n([\s\S]*?)\n {4}Signature/.exec(text)?.[1] ?? '';
  const pairs = part.split(/^ {12}(?=X509v3)/m).slice(1);
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...values] = pair.trim().split(/\s*\n\s*/);
      return [name.replace(/^X509v3 (.*?): ?(critical)?$/, '$1 $2').trim(), values.join(' ')];
    }),
  );
}

describe('CertificateAuthority', () => {
  it('is signed by its own key', () => {
    const certificate = parse(authorityAt());
    expect(certificate.verify(certificate.publicKey)).to.equal(true);
    expect(certificate.checkIssued(certificate)).to.equal(true);
    expect(certificate.ca).to.equal(true);
    expect(certificate.subject).to.equal('CN=an authority');
  });

  it('issues a leaf that is no authority, with its own key', () => {
    const authority = authorityAt();
    const issued = leafOf(authority);
    const leaf = parse(issued);
    expect(leaf.ca).to.equal(false);
    expect(leaf.checkIssued(parse(authority))).to.equal(true);
    expect(leaf.verify(parse(authority).publicKey)).to.equal(true);
    expect(leaf.verify(leaf.publicKey)).to.equal(false);
    expect(leaf.checkPrivateKey(createPrivateKey(issued.privateKey))).to.equal(true);
    expect(leaf.subject).to.equal('CN=a server');
    expect(leaf.issuer).to.equal('CN=an authority');
  });

  it('uses EC keys of the curve P-256', () => {
    const authority = authorityAt();
    for (const certificate of [parse(authority), parse(leafOf(authority))]) {
      const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
      expect(asymmetricKeyType).to.equal('ec');
      expect(asymmetricKeyDetails?.namedCurve).to.equal('prime256v1');
    }
  });

  it('gives positive serial numbers of 16 bytes', () => {
    const low = new CertificateAuthority({
      name: 'an authority',
      nowMs: NOW_MS,
      randomBytes: (size) => new Uint8Array(size),
    });
    expect(parse(low).serialNumber).to.equal('40'.padEnd(32, '0'));
    expect(parse(authorityAt()).serialNumber).to.equal('7F'.padEnd(32, 'F'));
  });

  it('gives different serial numbers to two certificates without a source of its own', () => {
    const authority = new CertificateAuthority({ name: 'an authority', nowMs: NOW_MS });
    const numbers = [authority, leafOf(authority), leafOf(authority)].map(
      (one) => parse(one).serialNumber,
    );
    expect(new Set(numbers).size).to.equal(3);
  });

  it('is not trusted through another authority of the same name', () => {
    const leaf = parse(leafOf(authorityAt()));
    const other = parse(authorityAt());
    expect(leaf.checkIssued(other)).to.equal(false);
    expect(leaf.verify(other.publicKey)).to.equal(false);
  });

  it('issues certificates for the given hosts, and no other', () => {
    const hosts = [
      'localhost',
      '127.0.0.1',
      '::1',
      'fe80::12:a',
      'api.example.io',
      '::ffff:10.0.0.1',
    ];
    const certificate = parse(leafOf(authorityAt(), { hosts }));
    expect(certificate.checkHost('localhost')).to.equal('localhost');
    expect(certificate.checkHost('api.example.io')).to.equal('api.example.io');
    expect(certificate.checkHost('example.io')).to.equal(undefined);
    for (const address of ['127.0.0.1', '::1', 'fe80::12:a', '::ffff:10.0.0.1']) {
      expect(certificate.checkIP(address), address).to.equal(address);
    }
    expect(certificate.checkIP('127.0.0.2')).to.equal(undefined);
  });

  it('issues a certificate of a user without host names', () => {
    const options = {
      usage: 'client',
      name: 'jane',
      organizations: ['a', 'b'],
      hosts: [],
    } as const;
    const certificate = parse(leafOf(authorityAt(), options));
    expect(certificate.subject).to.equal('O=a\nO=b\nCN=jane');
    expect(certificate.subjectAltName).to.equal(undefined);
    expect(certificate.keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.2']);
  });

  it('is valid from a day before to ten years after it was made, a leaf to one year after; also beyond 2049', () => {
    for (const nowMs of [
      Date.UTC(2024, 1, 29, 12, 30, 15),
      Date.UTC(2048, 5, 1),
      Date.UTC(2060, 5, 1),
    ]) {
      const authority = authorityAt(nowMs);
      const leaf = leafOf(authority, { nowMs });
      for (const [certificate, days] of [
        [parse(authority), 3650],
        [parse(leaf), 365],
      ] as const) {
        expect(Date.parse(certificate.validFrom)).to.equal(nowMs - DAY_MS);
        expect(Date.parse(certificate.validTo)).to.equal(nowMs + days * DAY_MS);
      }
    }
  });

  it('has the extensions that RFC 5280 asks of an authority and of a server', async function () {
    const authority = authorityAt();
    const leaf = leafOf(authority, { hosts: ['localhost', '127.0.0.1'] });
    const [authorityText, leafText] = [
      await textOf(authority.certificate),
      await textOf(leaf.certificate),
    ];
    if (authorityText === undefined || leafText === undefined) {
      process.stdout.write('skipped: openssl is not on the PATH\n');
      this.skip();
    }
    const ofAuthority = extensionsOf(authorityText);
    const ofLeaf = extensionsOf(leafText);
    const keyId = ofAuthority['Subject Key Identifier'] ?? '';
    expect(keyId).to.match(/^([0-9A-F]{2}:){19}[0-9A-F]{2}$/);
    expect(ofAuthority).to.deep.include({
      'Basic Constraints critical': 'CA:TRUE, pathlen:0',
      'Key Usage critical': 'Certificate Sign, CRL Sign',
    });
    expect(ofLeaf).to.deep.include({
      'Basic Constraints critical': 'CA:FALSE',
      'Key Usage critical': 'Digital Signature',
      'Extended Key Usage': 'TLS Web Server Authentication',
      'Subject Alternative Name': 'DNS:localhost, IP Address:127.0.0.1',
    });
    // OpenSSL 1.1 prints "keyid:" before it.
    expect(ofLeaf['Authority Key Identifier']?.replace('keyid:', '')).to.equal(keyId);
    expect(ofLeaf['Subject Key Identifier']).not.to.equal(keyId);
  });

  it('passes the strict verification of OpenSSL', async function () {
    const authority = new CertificateAuthority({ name: 'an authority', nowMs: Date.now() });
    const leaf = leafOf(authority, { nowMs: Date.now(), hosts: ['localhost', '127.0.0.1'] });
    // The file is both the trust store and the chain; the certificate to verify is the first one.
    const text = await openssl(`${leaf.certificate}${authority.certificate}`, (file) => [
      'verify',
      '-x509_strict',
      '-purpose',
      'sslserver',
      '-verify_hostname',
      'localhost',
      '-CAfile',
      file,
      file,
    ]);
    if (text === undefined) {
      process.stdout.write('skipped: openssl is not on the PATH\n');
      this.skip();
    }
    expect(text).to.match(/: OK\n$/);
  });
});
