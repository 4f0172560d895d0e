import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { authorityFile } from '../../../../lib/client/config/credentials/authority-file.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { failureOf } from '../../support/failure-of.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import { TestAuthority } from '../../support/test-authority.ts';

describe('authorityFile', () => {
  const one = new TestAuthority({ name: 'one' }).certificate;
  const two = new TestAuthority({ name: 'two' }).certificate;
  let scratch: ScratchDirectory;
  let runtime: VirtualRuntime;

  beforeEach(async () => {
    scratch = await ScratchDirectory.make();
    runtime = new VirtualRuntime();
  });
  afterEach(async () => {
    await scratch[Symbol.asyncDispose]();
  });

  it('gives the same text while the file is unchanged, and a new one a second after it changed', async () => {
    const ca = authorityFile(await scratch.write('ca.crt', one), { runtime });
    expect(await ca()).to.equal(one);
    expect(ca(), 'without a promise').to.equal(one);
    await scratch.write('ca.crt', two);
    expect(ca()).to.equal(one);
    await runtime.advance(1_000);
    expect(await ca()).to.equal(two);
  });

  it('reads the file at once when it is asked again', async () => {
    const ca = authorityFile(await scratch.write('ca.crt', one), { runtime });
    await ca();
    await scratch.write('ca.crt', two);
    expect([ca(), await ca(true)]).to.deep.equal([one, two]);
  });

  it('takes several certificates with other text around them', async () => {
    const text = `# the old one\n${one}\n# the new one\n${two}`;
    expect(await authorityFile(await scratch.write('ca.crt', text))()).to.equal(text);
  });

  it('refuses a file without a certificate, and an empty one', async () => {
    for (const text of ['', 'canary', two.replaceAll('CERTIFICATE', 'PUBLIC KEY')]) {
      const path = await scratch.write('ca.crt', text);
      const error = await failureOf(Promise.resolve(authorityFile(path)()));
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message).to.equal(
        `${path}: it has no PEM certificate (-----BEGIN CERTIFICATE-----)`,
      );
    }
  });

  it('says which certificate of several is damaged', async () => {
    const path = await scratch.write('ca.crt', one + two.replace(/\n.{20}/, '\n'));
    const error = await failureOf(Promise.resolve(authorityFile(path)()));
    expect(error.message).to.equal(`${path}: certificate 2 of 2 is damaged`);
  });

  it('refuses a certificate without its end', async () => {
    const path = await scratch.write('ca.crt', one + two.slice(0, 200));
    const error = await failureOf(Promise.resolve(authorityFile(path)()));
    expect(error.message).to.equal(`${path}: certificate 2 of 2 is damaged`);
  });

  it('keeps the last certificates while the file is empty or gone, and says so', async () => {
    const path = await scratch.write('ca.crt', one);
    const logger = new RecordedLog();
    const ca = authorityFile(path, { runtime, logger });
    await ca();
    await scratch.write('ca.crt', '');
    await runtime.advance(1_000);
    expect(await ca()).to.equal(one);
    await rm(path);
    await runtime.advance(1_000);
    expect(await ca()).to.equal(one);
    expect(logger.warnings).to.have.length(2);
    expect(logger.warnings[0]).to.contain(path);
  });
});
