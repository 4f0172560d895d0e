import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { tokenFile } from '../../../../lib/client/config/credentials/token-file.ts';
import { silentLogger } from '../../../../lib/kernel/logger.ts';
import { VirtualRuntime } from '../../../../lib/kernel/virtual-runtime.ts';
import { failureOf } from '../../support/failure-of.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';

describe('tokenFile', () => {
  it('looks at the file again after a minute', async () => {
    await using scratch = await ScratchDirectory.make();
    const path = await scratch.write('token', ' one\n');
    const runtime = new VirtualRuntime();
    const token = tokenFile(path, { runtime });
    expect(await token()).to.equal('one');
    await scratch.write('token', 'two');
    await runtime.advance(59_999);
    expect(await token()).to.equal('one');
    await runtime.advance(1);
    expect(await Promise.all([token(), token()])).to.deep.equal(['two', 'two']);
  });

  it('keeps the last good token while the file cannot be read, and says so', async () => {
    await using scratch = await ScratchDirectory.make();
    const path = await scratch.write('token', 'one');
    const runtime = new VirtualRuntime();
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (_: string, fields: unknown) => warnings.push(fields) };
    const token = tokenFile(path, { runtime, logger });
    await token();
    await rm(path);
    await runtime.advance(60_000);
    expect(await Promise.all([token(), token()])).to.deep.equal(['one', 'one']);
    expect(warnings, 'callers share one look at the file').to.have.length(1);
    await scratch.write('token', 'two');
    await runtime.advance(60_000);
    expect(await token()).to.equal('two');
  });

  it('fails without a first token, and recovers', async () => {
    await using scratch = await ScratchDirectory.make();
    const token = tokenFile(`${scratch.path}/token`);
    const error = await failureOf(token());
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).to.contain(`${scratch.path}/token`);
    await scratch.write('token', '\n');
    expect((await failureOf(token())).message).to.contain('empty');
    await scratch.write('token', 'one');
    expect(await token()).to.equal('one');
  });
});
