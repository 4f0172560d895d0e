import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  CertificateKeeper,
  type CertificateKeeperOptions,
} from '../../../../lib/controller/webhook/certificates/certificate-keeper.ts';
import type { ServedCertificate } from '../../../../lib/controller/webhook/certificates/served-certificate.ts';
import { CertificateAuthority } from '../../../../lib/kernel/certificates/certificate-authority.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { RecordedLog } from '../../../client/support/recorded-log.ts';
import { until } from '../../../support/until.ts';
import { failureOf, WebhookWorld } from '../webhook-world.ts';

const DAY_MS = 86_400_000;
const HOST = 'hooks.shop.svc';
const NOT_LATE = new AbortController().signal;

/** Its wall clock can be set. */
class SetRuntime extends VirtualRuntime {
  #jumpedMs = 0;

  jump(byMs: number): void {
    this.#jumpedMs += byMs;
  }

  override wallMs(): number {
    return super.wallMs() + this.#jumpedMs;
  }
}

describe('CertificateKeeper', () => {
  let folder: string;
  let runtime: SetRuntime;
  let logger: RecordedLog;
  let changes: ServedCertificate[];
  let keepers: CertificateKeeper[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'listwatch-webhook-'));
    runtime = new SetRuntime({ seed: 1 });
    logger = new RecordedLog();
    changes = [];
    keepers = [];
  });

  afterEach(async () => {
    for (const keeper of keepers) keeper[Symbol.dispose]();
    // A read of one file may go on when that of another has failed.
    await until('all timers to be gone', () => runtime.pending === 0);
    rmSync(folder, { recursive: true });
  });

  function make(options: Partial<CertificateKeeperOptions> = {}): CertificateKeeper {
    const keeper = new CertificateKeeper({
      client: undefined as never,
      certificate: undefined,
      hosts: [HOST],
      runtime,
      logger,
      onChange: (served) => changes.push(served),
      ...options,
    });
    keepers.push(keeper);
    return keeper;
  }

  const paths = () => ({
    cert: join(folder, 'tls.crt'),
    key: join(folder, 'tls.key'),
    ca: join(folder, 'ca.crt'),
  });

  function write(days: number, hosts: readonly string[] = [HOST]): string {
    const nowMs = runtime.wallMs();
    const authority = new CertificateAuthority({ name: 'files', nowMs });
    const notAfterMs = nowMs + days * DAY_MS;
    const leaf = authority.issue({ usage: 'server', name: 'leaf', hosts, nowMs, notAfterMs });
    writeFileSync(paths().cert, leaf.certificate);
    writeFileSync(paths().key, leaf.privateKey);
    writeFileSync(paths().ca, authority.certificate);
    return authority.certificate;
  }

  /** Lets a look take place, which reads real files. */
  async function look(isDone: () => boolean): Promise<void> {
    await runtime.advance(10_000);
    await until('the files to be read', async () => {
      await runtime.settle();
      return isDone();
    });
  }

  it('makes a certificate for its hosts, and another one of the same authority after half a year', async () => {
    const keeper = make();
    const first = await keeper.start(NOT_LATE);
    expect(new X509Certificate(first.certificate).checkHost(HOST)).to.equal(HOST);
    runtime.jump(182 * DAY_MS);
    await runtime.advance(10_000);
    expect(changes).to.deep.equal([]);
    runtime.jump(DAY_MS);
    await runtime.advance(10_000);
    expect(changes).to.have.length(1);
    expect(changes[0]?.authorities).to.equal(first.authorities);
    expect(changes[0]?.certificate).to.not.equal(first.certificate);
    expect(keeper.problem).to.equal(undefined);
    expect(logger.lines).to.deep.equal([]);
  });

  it('reads files again that have changed, and keeps the last ones while they do not belong together', async () => {
    const before = write(90);
    const keeper = make({ certificate: paths() });
    const served = await keeper.start(NOT_LATE);
    expect(served.authorities).to.equal(before);
    writeFileSync(paths().key, 'half');
    await look(() => logger.warnings.length > 0);
    expect(keeper.served).to.equal(served);
    expect(logger.warnings[0]).to.match(
      /^a file cannot be read again; its last content stays in use .*the certificate of the webhooks in /,
    );
    const after = write(90);
    await look(() => changes.length > 0);
    expect(keeper.served?.authorities).to.equal(after);
  });

  it('says once that a certificate expires soon, and once that it has expired, with the remedy', async () => {
    write(30);
    // On a busy machine a read of the files may outlast its virtual time, which is said as well.
    const said = () =>
      logger.lines.filter(({ message }) => message === 'webhooks: certificate problem');
    const keeper = make({ certificate: paths() });
    await keeper.start(NOT_LATE);
    runtime.jump(27.5 * DAY_MS);
    await look(() => said().length > 0);
    await look(() => true);
    const untilText = new Date(
      Date.parse(new X509Certificate(keeper.served?.certificate ?? '').validTo),
    )
      .toISOString()
      .replace('.000', '');
    expect(said().map(({ level, fields }) => [level, fields['problem']])).to.deep.equal([
      [
        'warn',
        `the certificate of the webhooks in ${paths().cert} expires on ${untilText}; API servers will refuse the webhooks then: renew it; the files are read again every 10 s`,
      ],
    ]);
    runtime.jump(3 * DAY_MS);
    await look(() => said().length > 1);
    await look(() => true);
    expect(said()).to.have.length(2);
    expect(said()[1]).to.deep.include({
      level: 'error',
      fields: {
        problem: `the certificate of the webhooks in ${paths().cert} expired on ${untilText}, so API servers refuse the webhooks: renew it; the files are read again every 10 s, or check this machine's clock`,
      },
    });
    expect(keeper.problem?.isFatal).to.equal(true);
  });

  it('does not start with a certificate that has expired, or is for another host', async () => {
    write(-0.5);
    const expired = await failureOf(make({ certificate: paths() }).start(NOT_LATE));
    expect(expired).to.include({ code: 'WEBHOOK_CERTIFICATE' });
    expect(expired?.message).to.match(
      /tls\.crt expired on .*, so API servers refuse the webhooks: renew it/,
    );
    write(90, ['other.svc', '127.0.0.1']);
    const other = await failureOf(make({ certificate: paths() }).start(NOT_LATE));
    expect(other).to.include({ code: 'WEBHOOK_CERTIFICATE' });
    expect(other?.message).to.match(
      /tls\.crt is not valid for hooks\.shop\.svc, where API servers call the webhooks, but for DNS:other\.svc, IP Address:127\.0\.0\.1: issue it for hooks\.shop\.svc$/,
    );
  });

  it('names a file that is missing', async () => {
    write(90);
    rmSync(paths().cert);
    const error = await failureOf(make({ certificate: paths() }).start(NOT_LATE));
    expect(error).to.include({ code: 'CONFIG_INVALID' });
    expect(error?.message).to.match(/tls\.crt: there is no such file; correct the path$/);
  });

  describe('with a secret', () => {
    let world: WebhookWorld;
    const certificate = { secret: 'hooks-ca', namespace: 'default' };

    beforeEach(async () => {
      world = await WebhookWorld.open();
    });
    afterEach(async () => {
      await world[Symbol.asyncDispose]();
    });

    it('gives all replicas one authority, also when they start at once', async () => {
      const { client } = world;
      const replicas = [1, 2, 3, 4].map(() => make({ client, certificate }));
      const served = await Promise.all(replicas.map((keeper) => keeper.start(NOT_LATE)));
      expect(new Set(served.map(({ authorities }) => authorities)).size).to.equal(1);
      expect(new Set(served.map(({ privateKey }) => privateKey)).size).to.equal(4);
      const later = await make({ client, certificate }).start(NOT_LATE);
      expect(later.authorities).to.equal(served[0]?.authorities);
    });

    it('refuses a secret of something else', async () => {
      const { client } = world;
      const secrets = client.resource('v1', 'secrets', { namespace: 'default' });
      await secrets.create({ metadata: { name: 'hooks-ca' }, stringData: { password: 'hidden' } });
      const error = await failureOf(make({ client, certificate }).start(NOT_LATE));
      expect(error?.message).to.equal(
        'the secret default/hooks-ca has no ca.crt and ca.key, so it is no authority of webhooks; name another secret, or delete this one',
      );
    });
  });
});
