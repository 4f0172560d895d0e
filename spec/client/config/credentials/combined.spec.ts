import { expect } from 'chai';
import { combined } from '../../../../lib/client/config/credentials/combined.ts';
import { constantToken } from '../../../../lib/client/config/credentials/constant.ts';
import { tokenFile } from '../../../../lib/client/config/credentials/token-file.ts';
import {
  Credential,
  type CredentialSource,
} from '../../../../lib/client/transport/contract/credential.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';

describe('combined', () => {
  const certificate: CredentialSource = {
    source: 'the certificate of dev',
    current: () => new Credential({ cert: 'c', key: 'k', source: 'the certificate of dev' }),
  };
  const fixed = certificate.current() as Credential;
  const constant: CredentialSource = { ...certificate, current: () => fixed };

  it('presents certificate and header together', () => {
    const source = combined([constant, constantToken('one', 'the token of dev')]);
    const credential = source.current();
    expect(credential).to.include({ authorization: 'Bearer one', cert: 'c', key: 'k' });
    expect(credential).to.include({ source: 'the certificate of dev and the token of dev' });
    expect(source.current(), 'the same object').to.equal(credential);
  });

  it('is the source itself if there is only one', () => {
    expect(combined([constant])).to.equal(constant);
  });

  it('takes the first of two headers', () => {
    const source = combined([constantToken('one', 'a'), constantToken('two', 'b')]);
    expect(source.current()).to.include({ authorization: 'Bearer one' });
  });

  it('changes when one part has changed', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new VirtualRuntime();
    const token = tokenFile(await scratch.write('token', 'one'), { runtime });
    const source = combined([constant, token]);
    const first = await source.current();
    expect(source.current(), 'without a promise').to.equal(first);
    await scratch.write('token', 'two');
    await runtime.advance(1_000);
    const second = await source.current();
    expect(second).to.include({ authorization: 'Bearer two', cert: 'c' });
  });

  it('asks each part for another credential after a 401', async () => {
    await using scratch = await ScratchDirectory.make();
    const runtime = new VirtualRuntime();
    const token = tokenFile(await scratch.write('token', 'one'), { runtime });
    const source = combined([constant, token]);
    const rejected = await source.current();
    expect(await source.refresh?.(rejected)).to.equal(undefined);
    await scratch.write('token', 'two');
    const next = await source.refresh?.(rejected);
    expect(next).to.include({ authorization: 'Bearer two', cert: 'c' });
    expect(await source.current()).to.equal(next);
    expect(await source.refresh?.(rejected), 'known already').to.equal(next);
  });

  it('has no other credential for one that it did not make', async () => {
    const source = combined([constant, constantToken('one', 'a')]);
    expect(await source.refresh?.(Credential.bearer('x', 'b'))).to.equal(undefined);
  });
});
