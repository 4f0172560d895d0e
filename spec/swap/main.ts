/** `npm run check -- swap`: one etcd, two servers. Each reads what the other has stored, and both work on one etcd at once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Client } from '../../lib/client/rest/client.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import { SampleKmsPlugin } from '../server/storage/encryption/plugin/sample-kms-plugin.ts';
import { EtcdMember } from '../support/etcd.ts';
import { bothAtOnce } from './both-at-once.ts';
import { contentsOf, differencesOf } from './contents.ts';
import { fill, SWAP_KINDS } from './fill.ts';
import { readRecorded, RECORD_FILE, recordedText } from './recorded.ts';
import { OurServer } from './our-server.ts';
import { RealServer } from './real-server.ts';
import type { SwapServer } from './swap-server.ts';

const USAGE = `npm run check -- swap --binaries DIR [options]

  --binaries DIR  has kube-apiserver and etcd
  --objects N     objects of all kinds (5000)
  --minutes N     writes on both servers at once (10)
  --seed N        of these writes (1)
  --encryption P  secrets are encrypted at rest, by the same file for both: secretbox, or kms, a plug-in in this process
  --record        writes what kube-apiserver stores, and what it shows of it, to spec/swap/recorded.json
  --only TEXT     only chapters with this text in their titles
  --help          shows this

The exit code is 1 when something differs or an address was given twice.`;

const LISTED = 20;

interface Settings {
  readonly binaries: string;
  readonly folder: string;
  readonly objects: number;
  readonly durationMs: number;
  readonly seed: number;
  readonly encryptionConfig: string | undefined;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      binaries: { type: 'string' },
      objects: { type: 'string', default: '5000' },
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      encryption: { type: 'string' },
      only: { type: 'string', default: '' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.binaries === undefined) {
    console.log(USAGE);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'listwatch-swap-'));
  await using plugin = new SampleKmsPlugin(join(folder, 'kms.sock'));
  try {
    const settings: Settings = {
      binaries: values.binaries,
      folder,
      objects: Number(values.objects),
      durationMs: Number(values.minutes) * 60_000,
      seed: Number(values.seed),
      encryptionConfig: await encryptionFile(folder, values.encryption, plugin),
    };
    if (values.record) {
      await recordStored(settings);
      return;
    }
    console.log(`${settings.objects} objects of ${SWAP_KINDS.length} kinds`);
    for (const [title, chapter] of CHAPTERS) {
      if (!title.includes(values.only)) continue;
      const startMs = performance.now();
      const problems = await chapter(settings);
      const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
      console.log(`${title}: ${problems.length} differences, ${seconds} s`);
      for (const line of problems.slice(0, LISTED)) console.log(`  ${line}`);
      if (problems.length > 0) process.exitCode = 1;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Chapter = (settings: Settings) => Promise<readonly string[]>;

const CHAPTERS: readonly (readonly [string, Chapter])[] = [
  ['listwatch reads what kube-apiserver stored', (settings) => handOver(settings, real, ours)],
  ['kube-apiserver reads what listwatch stored', (settings) => handOver(settings, ours, real)],
  ['both at once', together],
];

type StartServer = (settings: Settings, etcd: EtcdMember) => Promise<SwapServer>;

const real: StartServer = ({ binaries, folder, encryptionConfig }, { url }) =>
  RealServer.start({
    binaries,
    etcd: url,
    folder: join(folder, 'real'),
    encryptionConfig,
  });

const ours: StartServer = ({ folder, encryptionConfig }, { url }) =>
  OurServer.start({ etcd: url, folder: join(folder, 'ours'), encryptionConfig });

async function recordStored(settings: Settings): Promise<void> {
  await using etcd = await etcdOf(settings);
  await withServer(settings, etcd, real, async (client) => {
    await fill(client, SWAP_KINDS.length);
    const recorded = await readRecorded(client, etcd.url);
    await writeFile(RECORD_FILE, recordedText(recorded));
    console.log(`${recorded.objects.length} objects of ${recorded.version}`);
  });
}

function etcdOf({ binaries }: Settings): Promise<EtcdMember> {
  return EtcdMember.start({ binary: join(binaries, 'etcd') });
}

/** One server fills the etcd and ends; the other one shows the same, changes all of it, and the first one shows that. */
async function handOver(
  settings: Settings,
  startFirst: StartServer,
  startSecond: StartServer,
): Promise<readonly string[]> {
  await using etcd = await etcdOf(settings);
  const before = await withServer(settings, etcd, startFirst, async (client) => {
    await fill(client, settings.objects);
    return await contentsOf(client);
  });
  const after = await withServer(settings, etcd, startSecond, async (client) => {
    const found = await contentsOf(client);
    await labelAll(client);
    return { found, labelled: await contentsOf(client) };
  });
  const again = await withServer(settings, etcd, startFirst, contentsOf);
  const names = ['the first server', 'the second server'] as const;
  return [
    ...differencesOf(before, after.found, names),
    ...differencesOf(after.labelled, again, ['the second server', 'the first server again']),
  ];
}

/** A write to each object of the kinds that were filled in: it is read, changed and stored by this server. */
async function labelAll(client: Client): Promise<void> {
  for (const kind of SWAP_KINDS) {
    const { apiVersion } = kind.make('');
    for (const { metadata } of (await client.resource(apiVersion, kind.resource).listAll()).items) {
      const { name, namespace } = metadata;
      if (!name.startsWith(`${kind.resource}-`)) continue;
      await client
        .resource(apiVersion, kind.resource, { namespace })
        .patch(name, { metadata: { labels: { second: 'true' } } });
    }
  }
}

async function together(settings: Settings): Promise<readonly string[]> {
  await using etcd = await etcdOf(settings);
  await using first = await real(settings, etcd);
  await using second = await ours(settings, etcd);
  await using theirs = await clientOf(first);
  await using own = await clientOf(second);
  const result = await bothAtOnce({
    clients: new Map([
      [first.name, theirs],
      [second.name, own],
    ]),
    objects: settings.objects,
    durationMs: settings.durationMs,
    seed: settings.seed,
    progress: (line) => {
      console.log(`  ${line}`);
    },
  });
  const { writes, lost, refused, addressesInUse, addressesTwice, differences } = result;
  console.log(
    `  ${writes} writes, ${lost} lost to others; at most ${addressesInUse} addresses and ports in use, ${addressesTwice.length} given twice`,
  );
  return [...differences, ...addressesTwice, ...refused];
}

async function withServer<R>(
  settings: Settings,
  etcd: EtcdMember,
  start: StartServer,
  work: (client: Client) => Promise<R>,
): Promise<R> {
  await using server = await start(settings, etcd);
  await using client = await clientOf(server);
  return await work(client);
}

async function clientOf({ kubeconfig }: SwapServer): Promise<Client> {
  return await connect({ kubeconfig, fieldManager: 'swap' });
}

async function encryptionFile(
  folder: string,
  wanted: string | undefined,
  plugin: SampleKmsPlugin,
): Promise<string | undefined> {
  if (wanted === undefined) return undefined;
  const path = join(folder, 'encryption.json');
  const provider = await providerOf(wanted, plugin);
  const resources = [
    { resources: ['secrets', 'configmaps'], providers: [provider, { identity: {} }] },
  ];
  const apiVersion = 'apiserver.config.k8s.io/v1';
  await writeFile(path, JSON.stringify({ apiVersion, kind: 'EncryptionConfiguration', resources }));
  return path;
}

async function providerOf(wanted: string, plugin: SampleKmsPlugin): Promise<object> {
  if (wanted === 'secretbox') {
    const key = { name: 'one', secret: randomBytes(32).toString('base64') };
    return { secretbox: { keys: [key] } };
  }
  if (wanted !== 'kms') throw new Error(`--encryption: secretbox or kms, not ${wanted}`);
  await plugin.listen();
  return { kms: { apiVersion: 'v2', name: 'vault', endpoint: plugin.endpoint } };
}

await main();
