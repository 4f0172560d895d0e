import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { connect, SharedInformerFactory } from 'listwatch';
import { silentLogger } from 'listwatch/kernel';
import { ApiServer } from 'listwatch/server';
import { applyManifests } from './support/apply-manifests.ts';
import { changeTheShop } from './support/change-the-shop.ts';
import { parseOptions, runProgram, UsageError } from './support/command-line.ts';
import { compareCaches } from './support/compare-caches.ts';
import { loadManifests } from './support/manifests.ts';
import { MirrorSet } from './support/mirror-set.ts';
import type { MirroredResource } from './support/mirror.ts';
import { NetworkGate } from './support/network-gate.ts';
import { ShopController } from './support/shop-controller.ts';
import { Timeline, wantsColor } from './support/timeline.ts';
import { aborted, HANG_MS, until } from './support/until.ts';

/** The resources that the controller reads or writes, whether or not there are manifests of them. */
const OF_THE_SHOP: readonly MirroredResource[] = [
  { apiVersion: 'apps/v1', resource: 'deployments' },
  { apiVersion: 'apps/v1', resource: 'replicasets' },
  { apiVersion: 'v1', resource: 'pods' },
  { apiVersion: 'v1', resource: 'configmaps' },
];

/** A person waits here, so the informers retry sooner than they would against a cluster. */
const BACKOFF = { baseMs: 250, capMs: 2_000 };

const MANIFESTS = join(import.meta.dirname, 'manifests');

const USAGE = `A small shop on an API server in this process: informers mirror it, and a controller keeps its deployments running. Then all
connections are cut twice, the second time with a compacted history, and every cache has to equal the server again.

  npm start -- [options]

  --keep            keep running until Ctrl-C, and print the kubectl command that shows the shop
  --port N          port of the API server (default: a free one)
  --manifests DIR   folder with the manifests to apply (default: ${relative(process.cwd(), MANIFESTS)})
  --debug           show the stack trace of a failure
  --help            show this`;

interface Settings {
  readonly port: number;
  readonly manifests: string;
  readonly keep: boolean;
}

async function quickstart({ port, manifests, keep }: Settings, signal: AbortSignal): Promise<void> {
  const objects = await loadManifests(manifests);
  await using server = new ApiServer();
  await server.listen({ port });
  using timeline = new Timeline({
    write: (text) => process.stdout.write(text),
    color: wantsColor(process.stdout),
  });

  timeline.chapter('An API server in this process');
  timeline.say('server', '', `listens on ${server.url}, state in memory`);
  await using admin = await connect(server.clientConfig());
  const resources = await applyManifests(admin, objects, signal);
  timeline.say('server', '', `accepted ${objects.length} objects of ${resources.length} resources`);

  timeline.chapter('Informers mirror it, and a controller acts on their events');
  await using network = new NetworkGate(server.url);
  await using client = await connect({ ...server.clientConfig(), server: await network.listen() });
  await using informers = new SharedInformerFactory(client, {
    signal,
    backoff: BACKOFF,
    // The failures are intended; the timeline shows them.
    logger: silentLogger,
  });
  const shop = new ShopController(client, informers, timeline);
  const mirrors = new MirrorSet(informers, [...resources, ...OF_THE_SHOP], timeline);
  informers.start();
  await informers.whenSynced({ timeoutMs: HANG_MS, signal });
  timeline.flush();
  timeline.say('store', '', `${mirrors.objects} objects in ${mirrors.size} caches`);
  await using work = shop.start(signal);
  const settled = (): Promise<void> =>
    until(() => shop.unfinished.length === 0, {
      signal: work.signal,
      describe: () => `the shop to settle: ${shop.unfinished.join(', ')}`,
    });
  await settled();
  timeline.flush();
  timeline.say('store', '', `${mirrors.objects} objects: every deployment has its pods`);

  timeline.chapter('Every connection is cut');
  const cut = (): void => {
    server.closeConnections();
    timeline.say('server', '', 'cut every connection');
  };
  await mirrors.resumeAfter(cut, work.signal);

  timeline.chapter('The network is down, and the history is compacted before it is up again');
  network.down();
  await mirrors.whenAway(work.signal);
  timeline.say('server', '', await changeTheShop(admin, work.signal));
  await server.compact();
  timeline.say('server', '', 'compacted its history: informers have to list again');
  await mirrors.relistAfter(() => network.up(), work.signal);
  await settled();

  timeline.chapter('Comparison of every cache with the server');
  await using auditor = await connect(server.clientConfig());
  const compared = await compareCaches(auditor, mirrors, work.signal);
  timeline.say('store', '', `${mirrors.size} caches, ${compared} objects: all equal to the server`);

  const { events, lists, resumes } = mirrors.counts;
  timeline.chapter('In total');
  process.stdout.write(
    `  ${compared} objects in ${mirrors.size} caches, ${events} events, ${lists - mirrors.size} relists, ` +
      `${resumes} resumes, ${shop.reconciles} reconciles, ${mirrors.size} caches compared, 0 differences\n`,
  );
  if (!keep) return;
  await keepRunning(server, work.signal);
  // The work ends with Ctrl-C, or with a failure.
  if (!signal.aborted) work.signal.throwIfAborted();
}

async function keepRunning(server: ApiServer, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'listwatch-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await server.writeKubeconfig(kubeconfig);
    process.stdout.write(`\nThe server runs until Ctrl-C. Look at it from another terminal:\n`);
    process.stdout.write(`  kubectl --kubeconfig ${kubeconfig} get pods -A\n`);
    await aborted(signal);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function readSettings(): Settings | undefined {
  const { help, keep, port, manifests } = parseOptions({
    keep: { type: 'boolean' },
    port: { type: 'string' },
    manifests: { type: 'string' },
  });
  if (help === true) return undefined;
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    throw new UsageError(`--port must be a number from 0 to 65535, not ${port}`);
  }
  return { keep: keep === true, port: Number(port ?? 0), manifests: manifests ?? MANIFESTS };
}

await runProgram({
  name: 'quickstart',
  main: async (signal) => {
    const settings = readSettings();
    if (settings === undefined) process.stdout.write(`${USAGE}\n`);
    else await quickstart(settings, signal);
  },
});
