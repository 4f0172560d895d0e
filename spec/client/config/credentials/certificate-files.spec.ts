import { rename, rm, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import {
  certificateFiles,
  type CertificateFilesOptions,
} from '../../../../lib/client/config/credentials/certificate-files.ts';
import type { CredentialSource } from '../../../../lib/client/transport/contract/credential.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf } from '../../support/failure-of.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import {
  encryptedKey,
  expired,
  notYetValid,
  TestAuthority,
  type IssuedCertificate,
} from '../../support/test-authority.ts';

const DAY_MS = 86_400_000;

describe('certificateFiles', () => {
  const authority = new TestAuthority();
  const one = authority.client({ user: 'one' });
  const two = authority.client({ user: 'two' });
  let scratch: ScratchDirectory;
  let runtime: VirtualRuntime;
  let logger: RecordedLog;

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
    runtime = new VirtualRuntime({ startWallMs: Date.now() });
    logger = new RecordedLog();
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  const write = async (certificate: string, privateKey: string): Promise<void> => {
    await scratch.write('tls.crt', certificate);
    await scratch.write('tls.key', privateKey);
  };
  const files = (options: Partial<CertificateFilesOptions> = {}): CredentialSource => {
    const [cert, key] = [`${scratch.path}/tls.crt`, `${scratch.path}/tls.key`];
    return certificateFiles({ cert, key, runtime, logger, ...options });
  };
  const certOf = async (source: CredentialSource): Promise<unknown> =>
    (await source.current()).cert;
  const failure = async ({ certificate, privateKey }: IssuedCertificate): Promise<string> => {
    await write(certificate, privateKey);
    const error = await failureOf(Promise.resolve(files().current()));
    expect(error.code).to.equal('CONFIG_INVALID');
    return error.message.replaceAll(`${scratch.path}/`, '');
  };

  it('presents the pair, and names the certificate as its source', async () => {
    await write(one.certificate, one.privateKey);
    const source = files();
    const credential = await source.current();
    expect([credential.cert, credential.key]).to.deep.equal([one.certificate, one.privateKey]);
    expect(credential.authorization).to.equal(undefined);
    expect(credential.source).to.equal(`the client certificate in ${scratch.path}/tls.crt`);
    expect(source.current(), 'without a promise').to.equal(credential);
    expect(files({ source: 'the certificate of dev' }).source).to.equal('the certificate of dev');
  });

  it('presents a new pair a second after both files were replaced', async () => {
    await write(one.certificate, one.privateKey);
    const source = files();
    await source.current();
    await write(two.certificate, two.privateKey);
    await runtime.advance(999);
    expect(await certOf(source)).to.equal(one.certificate);
    await runtime.advance(1);
    expect(await certOf(source)).to.equal(two.certificate);
  });

  it('keeps the last pair between the writes of the two files', async () => {
    await write(one.certificate, one.privateKey);
    const source = files();
    const first = await source.current();
    await scratch.write('tls.crt', two.certificate);
    for (const _ of [1, 2, 3]) {
      await runtime.advance(1_000);
      expect(await source.current()).to.equal(first);
    }
    expect(logger.warnings).to.have.length(1);
    expect(logger.warnings[0]).to.contain('do not belong together');
    await scratch.write('tls.key', two.privateKey);
    await runtime.advance(1_000);
    expect((await source.current()).key).to.equal(two.privateKey);
  });

  it('names both files of a pair that does not match at first', async () => {
    expect(await failure({ ...one, privateKey: two.privateKey })).to.equal(
      'tls.crt, tls.key: the certificate and the key do not belong together; give the key that the certificate was made for',
    );
  });

  it('names the file that is not PEM, or is damaged', async () => {
    expect(await failure({ ...one, certificate: 'canary' })).to.equal(
      'tls.crt: it is not a PEM certificate (-----BEGIN CERTIFICATE-----)',
    );
    expect(await failure({ ...one, privateKey: 'canary' })).to.equal(
      'tls.key: it is not a PEM private key (-----BEGIN PRIVATE KEY-----)',
    );
    const cut = (pem: string): string => pem.replace(/\n.{20}/, '\n');
    expect(await failure({ ...one, certificate: cut(one.certificate) })).to.equal(
      'tls.crt: the certificate is damaged; write it again',
    );
    expect(await failure({ ...one, privateKey: cut(one.privateKey) })).to.equal(
      'tls.key: the private key is damaged; write it again',
    );
  });

  it('refuses an encrypted key and says how to decrypt it', async () => {
    const privateKey = encryptedKey(one.privateKey, 'canary');
    expect(await failure({ ...one, privateKey })).to.equal(
      'tls.key: the private key is encrypted, which is not supported; decrypt it with "openssl pkey"',
    );
  });

  it('refuses a certificate that has expired, with file and date', async () => {
    const notAfterMs = Date.UTC(2026, 0, 2, 3, 4, 5);
    const old = authority.client({ user: 'old', notBeforeMs: notAfterMs - DAY_MS, notAfterMs });
    expect(await failure(old)).to.equal(
      "tls.crt: the client certificate expired on 2026-01-02T03:04:05Z; renew it, or check this machine's clock",
    );
  });

  it('keeps the last pair if the new one has expired', async () => {
    await write(one.certificate, one.privateKey);
    const source = files();
    const first = await source.current();
    const old = authority.client({ user: 'old', ...expired() });
    await write(old.certificate, old.privateKey);
    await runtime.advance(1_000);
    expect(await source.current()).to.equal(first);
    expect(logger.warnings[0]).to.contain('expired on');
  });

  it('keeps a certificate that expires in use, and says so once', async () => {
    const soon = authority.client({ user: 'soon', notAfterMs: Date.now() + DAY_MS });
    await write(soon.certificate, soon.privateKey);
    const source = files();
    const first = await source.current();
    await runtime.advance(DAY_MS + 2_000);
    for (const _ of [1, 2, 3]) expect(await source.current()).to.equal(first);
    expect(logger.warnings).to.have.length(1);
    expect(logger.warnings[0]).to.contain('tls.crt').and.to.contain('expired on');
  });

  it('presents a certificate that is not valid yet, with a warning about the clock', async () => {
    const early = authority.client({ user: 'early', ...notYetValid() });
    await write(early.certificate, early.privateKey);
    expect(await certOf(files())).to.equal(early.certificate);
    expect(logger.warnings).to.have.length(1);
    expect(logger.warnings[0]).to.contain('valid only from').and.to.contain('clock');
  });

  it('keeps the pair when the clock is set back', async () => {
    await write(one.certificate, one.privateKey);
    let setBackMs = 0;
    const clock = Object.assign(Object.create(runtime) as VirtualRuntime, {
      wallMs: () => runtime.wallMs() - setBackMs,
      monotonicMs: () => runtime.monotonicMs(),
      setTimer: runtime.setTimer.bind(runtime),
    });
    const source = files({ runtime: clock });
    const first = await source.current();
    setBackMs = 1_000 * DAY_MS;
    await runtime.advance(1_000);
    expect(await source.current()).to.equal(first);
    expect(logger.warnings[0]).to.contain('clock');
  });

  it('reads the files at once after a 401', async () => {
    await write(one.certificate, one.privateKey);
    const source = files();
    const rejected = await source.current();
    await write(two.certificate, two.privateKey);
    const next = await source.refresh?.(rejected);
    expect(next?.cert).to.equal(two.certificate);
    expect(await source.refresh?.(rejected), 'it is known already').to.equal(next);
    expect(await source.refresh?.(next!), 'there is no other one').to.equal(undefined);
  });

  it('takes certificate and key from one file, as the kubelet writes them', async () => {
    for (const text of [one.certificate + one.privateKey, one.privateKey + one.certificate]) {
      const path = await scratch.write('both.pem', text);
      expect(await certOf(files({ cert: path, key: path }))).to.equal(text);
    }
  });

  it('takes the certificates of the signers behind its own', async () => {
    await write(one.certificate + authority.certificate, one.privateKey);
    expect(await certOf(files())).to.equal(one.certificate + authority.certificate);
    expect(
      await failure({ ...one, certificate: authority.certificate + one.certificate }),
    ).to.contain('do not belong together');
  });

  it('takes files with line ends of Windows and a byte order mark', async () => {
    const windows = (pem: string): string => `\ufeff${pem.replaceAll('\n', '\r\n')}`;
    await write(windows(one.certificate), windows(one.privateKey));
    expect(await certOf(files())).to.equal(windows(one.certificate).slice(1));
  });

  it('keeps the pair while both files are gone, and takes their successors', async () => {
    await write(one.certificate, one.privateKey);
    const source = files();
    const first = await source.current();
    await rm(`${scratch.path}/tls.crt`);
    await rename(`${scratch.path}/tls.key`, `${scratch.path}/elsewhere`);
    await runtime.advance(1_000);
    expect(await source.current()).to.equal(first);
    await write(two.certificate, two.privateKey);
    await runtime.advance(1_000);
    expect(await certOf(source)).to.equal(two.certificate);
  });

  it('presents only pairs that match while the files are rewritten all the time', async () => {
    await write(one.certificate, one.privateKey);
    const source = files();
    const pairs = [one, two];
    await source.current();
    for (let round = 0; round < 60; round += 1) {
      const { certificate, privateKey } = pairs[round % 2]!;
      const writing = (async () => {
        await writeFile(`${scratch.path}/tls.key`, privateKey);
        await writeFile(`${scratch.path}/tls.crt`, certificate);
      })();
      await runtime.advance(1_000);
      const { cert, key } = await source.current();
      expect(pairs.some((pair) => pair.certificate === cert && pair.privateKey === key)).to.equal(
        true,
      );
      await writing;
    }
  });
});
