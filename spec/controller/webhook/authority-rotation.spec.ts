import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from 'chai';
import { WebhookServer } from '../../../lib/index.ts';
import { CertificateAuthority } from '../../../lib/kernel/certificates/certificate-authority.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { until } from '../../support/until.ts';
import { hurried } from './hurried.ts';
import { failureOf, V2, WebhookWorld, type CouponTypes } from './webhook-world.ts';

describe('the authority of a webhook server in files', () => {
  let folder: string;
  let world: WebhookWorld;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'listwatch-webhook-'));
    world = await WebhookWorld.open();
  });

  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const paths = () => ({
    cert: join(folder, 'tls.crt'),
    key: join(folder, 'tls.key'),
    ca: join(folder, 'ca.crt'),
  });

  function write(name: string): string {
    const nowMs = Date.now();
    const authority = new CertificateAuthority({ name, nowMs });
    const leaf = authority.issue({ usage: 'server', name, hosts: ['127.0.0.1'], nowMs });
    writeFileSync(paths().cert, leaf.certificate);
    writeFileSync(paths().key, leaf.privateKey);
    writeFileSync(paths().ca, authority.certificate);
    return authority.certificate;
  }

  async function registered(): Promise<string> {
    const { webhooks = [] } = await world.client
      .resource('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations')
      .get('shop');
    return Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString();
  }

  /** The common name in the certificate of a new connection. */
  async function presented({ url = '' }: WebhookServer<CouponTypes>): Promise<string> {
    const socket = connect({
      host: '127.0.0.1',
      port: Number(new URL(url).port),
      rejectUnauthorized: false,
    });
    await new Promise((resolve) => {
      socket.once('secureConnect', resolve);
    });
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return String(subject.CN);
  }

  it('can be replaced three times while requests go on, without a failed one', async () => {
    let trusted = write('first');
    let asked = 0;
    const webhooks = new WebhookServer(world.client, {
      name: 'shop',
      certificate: paths(),
      runtime: hurried,
      logger: silentLogger,
    }).validate('x.io/v2', 'coupons', () => {
      asked += 1;
    });
    await world.run(webhooks);
    expect(await registered()).to.equal(trusted);
    const failures: string[] = [];
    let isOver = false;
    const load = async (name: string): Promise<void> => {
      while (!isOver) {
        const object = { ...V2, metadata: { name }, spec: { percent: 1 } };
        const error = await failureOf(world.coupons.create(object, { dryRun: true }));
        if (error !== undefined) failures.push(error.message);
      }
    };
    const loads = [load('a'), load('b')];
    for (const name of ['second', 'third', 'fourth']) {
      const before = asked;
      trusted = write(name);
      await until(`${name} to be registered alone`, async () => (await registered()) === trusted);
      await until('calls to go on', () => asked > before + 10);
    }
    isOver = true;
    await Promise.all(loads);
    expect(failures).to.deep.equal([]);
  });

  it('is presented when the old and the new one have been registered for five seconds', async () => {
    const before = write('first');
    let release: (() => void) | undefined;
    const held: Runtime = {
      ...hurried,
      setTimer: (delayMs, callback, options) => {
        if (delayMs !== 5_000) return hurried.setTimer(delayMs, callback, options);
        release = callback;
        return { cancel: () => {} };
      },
    };
    const webhooks = new WebhookServer(world.client, {
      name: 'shop',
      certificate: paths(),
      runtime: held,
      logger: silentLogger,
    }).validate('x.io/v2', 'coupons', () => {});
    await world.run(webhooks);
    const after = write('second');
    await until('the wait to begin', () => release !== undefined);
    expect(await registered()).to.equal(before + after);
    expect(await presented(webhooks)).to.equal('first');
    release?.();
    await until('the new one to be registered alone', async () => (await registered()) === after);
    expect(await presented(webhooks)).to.equal('second');
  });

  it('stops the start with one line when it has not signed the certificate', async () => {
    write('first');
    const other = new CertificateAuthority({ name: 'other', nowMs: Date.now() });
    writeFileSync(paths().ca, other.certificate);
    const certificate = paths();
    const webhooks = new WebhookServer(world.client, {
      name: 'shop',
      certificate,
      logger: silentLogger,
    }).validate('x.io/v2', 'coupons', () => {});
    const error = await failureOf(webhooks.run());
    expect(error).to.include({ code: 'WEBHOOK_CERTIFICATE' });
    expect(error?.message).to.match(
      /^the certificate of the webhooks in \S+tls\.crt is refused with the authorities that are registered: .*; give the authority that has signed it as certificate\.ca$/,
    );
  });
});
