/**
 * `npm run check -- webhooks --kubeconfig FILE`: webhooks and definitions on a real server, which must reach this machine at 127.0.0.1. It prints
 * what the server says, how soon it uses a registration, and how many requests fail while authorities are replaced.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ApiError, connect, WebhookServer, type Client } from '../../../lib/index.ts';
import { CertificateAuthority } from '../../../lib/kernel/certificates/certificate-authority.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { HANG_MS, until } from '../../support/until.ts';
import { SCHEMA_CASES, verdictOf } from '../definition/schema-cases.ts';
import { DEFINITION, fromHub, toHub, V2, type CouponTypes } from './webhook-world.ts';

const { values } = parseArgs({ options: { kubeconfig: { type: 'string' } } });
await using client = await connect<CouponTypes>({
  kubeconfig: values.kubeconfig,
  fieldManager: 'webhooks',
  logger: silentLogger,
});
const logger = silentLogger;
const coupons = client.resource('x.io/v2', 'coupons', { namespace: 'default' });

function coupon(name: string, percent: number) {
  return { ...V2, metadata: { name }, spec: { percent } };
}

async function answerTo(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'taken';
  } catch (error) {
    return error instanceof ApiError ? (error.status.message ?? '') : String(error);
  }
}

/** Runs it while `work` does. */
async function serving(
  webhooks: WebhookServer<CouponTypes>,
  work: () => Promise<void>,
): Promise<void> {
  const run = webhooks.run();
  await Promise.race([webhooks.whenReady({ timeoutMs: HANG_MS }), run]);
  await work();
  await webhooks.close();
  await run;
}

async function registrations(): Promise<void> {
  const waits: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const webhooks = new WebhookServer(client, { name: 'registered', logger }).mutate(
      'x.io/v2',
      'coupons',
      ({ object }) => {
        object.spec.currency = 'EUR';
      },
    );
    await serving(webhooks, async () => {
      const begun = performance.now();
      await until('the webhook to be called', async () => {
        const made = await coupons.create(coupon('registered', 1), { dryRun: true });
        return made.spec.currency === 'EUR';
      });
      waits.push(Math.round(performance.now() - begun));
    });
  }
  console.log(`used after (ms): ${waits.join(' ')}`);
}

async function answers(): Promise<void> {
  const webhooks = new WebhookServer(client, { name: 'answers', logger })
    .validate(
      'x.io/v2',
      'coupons',
      async ({ object, deny }) => {
        const { percent } = object.spec;
        if (percent === 1) throw new Error('no database');
        if (percent === 2) await new Promise(() => {});
        if (percent === 3) deny('is odd', { field: 'spec.percent' });
        if (percent === 4) deny('not today');
      },
      { timeoutSeconds: 1 },
    )
    .convert('x.io/v1', 'coupons', {
      hub: 'x.io/v2',
      toHub,
      fromHub: (one) => {
        const { percent } = one.spec;
        const wrong = percent === 6 ? { name: 'other' } : percent === 7 ? { uid: 'other' } : {};
        return { ...fromHub(one), metadata: { ...one.metadata, ...wrong } };
      },
    });
  await serving(webhooks, async () => {
    await until('the webhook to be called', async () => {
      return (await answerTo(coupons.create(coupon('asked', 4), { dryRun: true }))) !== 'taken';
    });
    for (const percent of [1, 2, 3, 4, 5]) {
      const answer = await answerTo(coupons.create(coupon('asked', percent), { dryRun: true }));
      console.log(`create ${percent}: ${answer}`);
    }
    const old = client.resource('x.io/v1', 'coupons', { namespace: 'default' });
    for (const percent of [5, 6, 7]) {
      await coupons.create(coupon(`converted-${percent}`, percent));
      console.log(`convert ${percent}: ${await answerTo(old.get(`converted-${percent}`))}`);
    }
    console.log(`convert all: ${await answerTo(old.list())}`);
    for (const percent of [5, 6, 7]) await coupons.delete(`converted-${percent}`);
  });
}

async function rotations(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'listwatch-webhook-'));
  const [cert, key, ca] = ['tls.crt', 'tls.key', 'ca.crt'].map((name) => join(folder, name));
  const certificate = { cert: cert!, key: key!, ca: ca! };
  const write = (name: string): string => {
    const nowMs = Date.now();
    const authority = new CertificateAuthority({ name, nowMs });
    const leaf = authority.issue({ usage: 'server', name, hosts: ['127.0.0.1'], nowMs });
    writeFileSync(certificate.cert, leaf.certificate);
    writeFileSync(certificate.key, leaf.privateKey);
    writeFileSync(certificate.ca, authority.certificate);
    return authority.certificate;
  };
  write('first');
  let asked = 0;
  const webhooks = new WebhookServer(client, { name: 'rotated', certificate, logger }).validate(
    'x.io/v2',
    'coupons',
    () => {
      asked += 1;
    },
  );
  await serving(webhooks, async () => {
    const failures: string[] = [];
    let [done, isOver] = [0, false];
    const load = async (name: string): Promise<void> => {
      while (!isOver) {
        const answer = await answerTo(coupons.create(coupon(name, 1), { dryRun: true }));
        if (answer === 'taken') done += 1;
        else failures.push(answer);
      }
    };
    const loads = ['a', 'b', 'c', 'd'].map(load);
    for (const name of ['second', 'third']) {
      const trusted = write(name);
      await until(`${name} to be registered alone`, async () => (await registered()) === trusted);
      const before = asked;
      await until('calls to go on', () => asked > before + 100);
    }
    isOver = true;
    await Promise.all(loads);
    console.log(`two new authorities: ${done} requests, ${asked} calls, ${failures.length} failed`);
    for (const text of new Set(failures)) console.log(`  ${text}`);
  });
  rmSync(folder, { recursive: true });
}

async function registered(): Promise<string> {
  const { webhooks = [] } = await client
    .resource('admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations')
    .get('rotated');
  return Buffer.from(webhooks[0]?.clientConfig.caBundle ?? '', 'base64').toString();
}

async function definitions(anyClient: Client): Promise<void> {
  const names: string[] = [];
  let count = 0;
  for (const [index, one] of SCHEMA_CASES.entries()) {
    const plural = `things${index}`;
    names.push(`${plural}.x.io`);
    for (const { value, isGood, zod, server } of await verdictOf(anyClient, one, plural)) {
      count += 1;
      if (zod === isGood && server === isGood) continue;
      console.log(`${one.title}: ${value}: zod ${zod}, server ${server}`);
    }
  }
  console.log(`${count} values of ${names.length} kinds of schemas compared`);
  const api = client.resource('apiextensions.k8s.io/v1', 'customresourcedefinitions');
  for (const name of names) await api.delete(name);
}

await client.applyAll([DEFINITION]);
await registrations();
await answers();
await rotations();
await definitions(client);
await client
  .resource('apiextensions.k8s.io/v1', 'customresourcedefinitions')
  .delete('coupons.x.io');
