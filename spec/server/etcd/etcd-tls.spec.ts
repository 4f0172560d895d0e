import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EtcdKeyValueStore } from '../../../lib/server/etcd/etcd-key-value-store.ts';
import type { EtcdTls } from '../../../lib/server/etcd/etcd-options.ts';
import {
  AUTHORITY,
  CLIENT_CERTIFICATE,
  CLIENT_KEY,
  SERVER_CERTIFICATE,
  SERVER_KEY,
} from '../../client/support/certificates.ts';
import { etcdBinaries, EtcdMember } from '../../support/etcd.ts';

for (const binary of etcdBinaries()) {
  describe(`TLS to ${binary}`, () => {
    let folder: string;
    let member: EtcdMember;

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'listwatch-tls-'));
      const file = (name: string, content: string): string => {
        writeFileSync(join(folder, name), content);
        return join(folder, name);
      };
      member = await EtcdMember.start({
        binary,
        scheme: 'https',
        flags: [
          `--cert-file=${file('server.pem', SERVER_CERTIFICATE)}`,
          `--key-file=${file('server-key.pem', SERVER_KEY)}`,
          `--trusted-ca-file=${file('ca.pem', AUTHORITY)}`,
          '--client-cert-auth',
        ],
      });
    });

    after(async () => {
      await member?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const open = (tls: EtcdTls): Promise<EtcdKeyValueStore> =>
      EtcdKeyValueStore.connect({ endpoints: [member.url], tls, requestTimeoutMs: 1500 });

    async function codeOf(tls: EtcdTls): Promise<string> {
      const error: unknown = await open(tls).then(
        () => new Error('it connected'),
        (reason: unknown) => reason,
      );
      const { code, message } = error as { code?: string; message: string };
      expect(message).to.not.include('PRIVATE KEY');
      return code ?? message;
    }

    const client = { cert: CLIENT_CERTIFICATE, key: CLIENT_KEY };

    it('shows a client certificate and trusts the given authority', async () => {
      await using store = await open({ ca: AUTHORITY, ...client, serverName: 'api.test' });
      expect((await store.status()).revision).to.equal(1n);
    });

    it('refuses a member of an unknown authority', async () => {
      expect(await codeOf({ ...client, serverName: 'api.test' })).to.equal('CERTIFICATE');
    });

    it('refuses a member with the certificate of another host', async () => {
      expect(await codeOf({ ca: AUTHORITY, ...client })).to.equal('CERTIFICATE');
    });

    it('says that the member hung up when it is shown no certificate', async () => {
      const code = await codeOf({ ca: AUTHORITY, serverName: 'api.test' });
      expect(code).to.be.oneOf(['CERTIFICATE', 'STORE_UNAVAILABLE']);
    });
  });
}

describe('options of EtcdKeyValueStore', () => {
  const codeOf = async (options: object): Promise<[string | undefined, string]> => {
    const error: unknown = await EtcdKeyValueStore.connect(options as never).catch(
      (reason: unknown) => reason,
    );
    return [(error as { code?: string }).code, (error as Error).message];
  };

  it('names what is wrong before anything is sent', async () => {
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{}, /endpoints/],
      [{ endpoints: [] }, /at least one member/],
      [{ endpoints: ['127.0.0.1:2379'] }, /not an http or https URL/],
      [{ endpoints: ['http://a:1', 'https://b:1'] }, /all http or all https/],
      [{ endpoints: ['http://me:secret@a:1'] }, /credentials/],
      [{ endpoints: ['http://a:1'], tls: { ca: 'x' } }, /https/],
      [{ endpoints: ['https://a:1'], tls: { cert: CLIENT_CERTIFICATE } }, /must be given together/],
      [{ endpoints: ['http://a:1'], requestTimeoutMs: 0 }, /requestTimeoutMs/],
      [{ endpoints: ['http://a:1'], endpoint: 'x' }, /endpoint/],
    ];
    for (const [options, rule] of wrong) {
      const [code, message] = await codeOf(options);
      expect(code, message).to.equal('INVALID_OPTION');
      expect(message).to.match(rule);
      expect(message).to.not.include('secret');
    }
  });
});
