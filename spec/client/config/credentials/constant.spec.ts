import { expect } from 'chai';
import {
  constantCertificate,
  constantToken,
} from '../../../../lib/client/config/credentials/constant.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { thrownBy } from '../../support/failure-of.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { expired, TestAuthority } from '../../support/test-authority.ts';

const DAY_MS = 86_400_000;

describe('constantToken', () => {
  it('is one credential for ever, and a 401 is final', () => {
    const source = constantToken(' one\n', 'the token of dev');
    const first = source.current();
    expect(source.current()).to.equal(first);
    expect(first).to.include({ authorization: 'Bearer one', source: 'the token of dev' });
    expect(source).not.to.have.property('refresh');
  });

  it('refuses an empty token, and one that cannot stand in a header, without showing it', () => {
    expect(thrownBy(() => constantToken(' ', 'the token of dev')).message).to.equal(
      'the token of dev is empty',
    );
    const error = thrownBy(() => constantToken('canary\r\nx: y', 'the token of dev'));
    expect(error.code).to.equal('INVALID_OPTION');
    expect(error.message).not.to.contain('canary');
  });
});

describe('constantCertificate', () => {
  const authority = new TestAuthority();
  const { certificate: cert, privateKey: key } = authority.client({ user: 'dev' });
  const places = { certPlace: 'kc:3: client-certificate-data', keyPlace: 'kc:4: client-key-data' };
  const source = 'the client certificate of dev';

  it('presents the pair', async () => {
    const credential = await constantCertificate({ cert, key, ...places, source }).current();
    expect([credential.cert, credential.key, credential.source]).to.deep.equal([cert, key, source]);
  });

  it('names both places of a pair that does not match', () => {
    const other = authority.client({ user: 'other' }).privateKey;
    const error = thrownBy(() => constantCertificate({ cert, key: other, ...places, source }));
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).to.match(/^kc:3: client-certificate-data, kc:4: client-key-data: /);
  });

  it('refuses a certificate that has expired', () => {
    const old = authority.client({ user: 'old', ...expired() });
    const pair = { cert: old.certificate, key: old.privateKey, ...places, source };
    const error = thrownBy(() => constantCertificate(pair));
    expect(error.code).to.equal('CONFIG_INVALID');
    expect(error.message).to.match(/^kc:3: client-certificate-data: .* expired on 20/);
  });

  it('keeps a certificate that expires in use, and says so once', async () => {
    const runtime = new VirtualRuntime({ startWallMs: Date.now() });
    const logger = new RecordedLog();
    const constant = constantCertificate({ cert, key, ...places, source, runtime, logger });
    const first = constant.current();
    expect(logger.warnings).to.deep.equal([]);
    await runtime.advance(101 * DAY_MS);
    expect([constant.current(), constant.current()]).to.deep.equal([first, first]);
    expect(logger.warnings).to.have.length(1);
    expect(logger.warnings[0]).to.contain('kc:3').and.to.contain('expired on');
  });
});
