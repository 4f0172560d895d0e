import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import { ListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { tooManyRequests } from '../../../lib/meta/failure/failures.ts';
import { replay, type Replay, type ReplayOptions } from '../../../lib/recorder/replay/replay.ts';
import type { ReplayServer } from '../../../lib/recorder/replay-server/replay-server.ts';
import { record } from '../../../lib/recorder/source-recording.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import { pod, rejection, type Pod } from '../../cache/support/objects.ts';
import { kubectlPaths } from '../../kubectl/kubectl-binary.ts';
import { until } from '../../support/until.ts';
import { asFile, MemoryFiles } from '../support/memory-files.ts';

type Script = (pods: ScriptedListerWatcher<Pod>, runtime: VirtualRuntime) => Promise<void>;

/** The recording of an informer of two pods, in virtual time. */
async function recordingOf(
  script: Script,
  description = 'pods',
  watchList = false,
): Promise<Buffer> {
  const runtime = new VirtualRuntime();
  const files = new MemoryFiles();
  const objects = description === 'pods' ? ['one', 'two'].map((name) => typed(pod(name))) : [];
  const pods = new ScriptedListerWatcher<Pod>({ runtime, objects, description });
  const informer = new SharedIndexInformer<Pod>({
    listerWatcher: pods,
    runtime,
    watchList,
    logger: silentLogger,
  });
  const recording = await record<Pod>(informer, 'pods.listwatch', { files });
  const running = informer.run();
  await runtime.run(informer.whenSynced({ timeoutMs: 60_000 }));
  await runtime.settle();
  await script(pods, runtime);
  await runtime.settle();
  await runtime.run(informer.close());
  await running;
  await recording.close();
  return files.bytes('pods.listwatch');
}

function typed(object: Pod): Pod {
  return { apiVersion: 'v1', kind: 'Pod', ...object };
}

interface Served {
  readonly source: Replay<Pod>;
  readonly server: ReplayServer;
  readonly url: string;
}

async function serving(
  bytes: Buffer,
  options: ReplayOptions,
  use: (served: Served) => Promise<void>,
): Promise<void> {
  await asFile(bytes, async (path) => {
    const source = await replay<Pod>(path, options);
    await using server = await source.serve();
    await use({ source, server, url: `${server.url}/api/v1/pods` });
  });
}

interface Line {
  readonly type: string;
  readonly object: Pod & { readonly code?: number; readonly message?: string };
}

/** The events of a watch. */
async function* watch(url: string, parameters: string): AsyncGenerator<Line, undefined> {
  const response = await fetch(`${url}?watch=true&${parameters}`);
  expect(response.status).to.equal(200);
  let text = '';
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString();
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
  return undefined;
}

async function next(events: AsyncGenerator<Line, undefined>): Promise<string> {
  const { done, value } = await events.next();
  return done === true
    ? 'end'
    : `${value.type} ${value.object.metadata?.name ?? value.object.code}`;
}

/** A list, discovery or a Status. */
interface Answer {
  readonly kind: string;
  readonly metadata: { readonly resourceVersion: string };
  readonly items?: readonly Pod[];
  readonly resources?: readonly object[];
  readonly code?: number;
}

async function json(url: string): Promise<Answer> {
  return (await (await fetch(url)).json()) as Answer;
}

async function listOf(
  url: string,
): Promise<{ names: unknown[]; version: string; code: number | undefined }> {
  const list = await json(url);
  const names = (list.items ?? []).map(({ metadata }) => metadata.name);
  return { names, version: list.metadata.resourceVersion, code: list.code };
}

/** A pod comes, changes, and another one goes. */
const changes: Script = async (pods, runtime) => {
  await runtime.advance(10_000);
  pods.add(typed(pod('late', { labels: { app: 'web' } })));
  await runtime.advance(20_000);
  pods.modify(typed(pod('late', { nodeName: 'node-1' })));
  pods.delete({ namespace: 'shop', name: 'one' });
};

describe('a replay that is served', () => {
  for (const watchList of [false, true]) {
    it(`is listed, and watched step by step, ${watchList ? 'with' : 'without'} a streaming list in the recording`, async () => {
      const bytes = await recordingOf(changes, 'pods', watchList);
      await serving(bytes, { speed: 'step' }, async ({ source, url }) => {
        const early = listOf(url);
        const first = await source.step();
        const { names, version } = await early;
        expect(first?.what).to.equal(watchList ? 'events' : 'page');
        expect(names).to.deep.equal(['one', 'two']);
        const events = watch(url, `resourceVersion=${version}`);
        const added = next(events);
        expect((await source.step())?.what).to.equal('events');
        expect(await added).to.equal('ADDED late');
        expect((await listOf(url)).names).to.deep.equal(['one', 'two', 'late']);
        const modified = next(events);
        await source.step();
        expect(await modified).to.equal('MODIFIED late');
        if (!source.finished) await source.step();
        expect(await next(events)).to.equal('DELETED one');
        expect(source.objects.map(({ metadata }) => metadata.name)).to.deep.equal(['two', 'late']);
        const again = watch(url, `resourceVersion=${version}`);
        expect([await next(again), await next(again)]).to.deep.equal([
          'ADDED late',
          'MODIFIED late',
        ]);
        await again.return(undefined);
        await events.return(undefined);
      });
    });
  }

  it('replays at its speed from the first watch of a client', async () => {
    const runtime = new VirtualRuntime();
    const bytes = await recordingOf(changes);
    await serving(bytes, { speed: 10, runtime }, async ({ source, url }) => {
      await until('the list', () => source.objects.length === 2);
      await runtime.advance(60_000);
      expect(source.finished).to.equal(false);
      const events = watch(url, 'resourceVersion=0');
      expect([await next(events), await next(events)]).to.deep.equal(['ADDED one', 'ADDED two']);
      await runtime.advance(900);
      expect(source.objects).to.have.length(2);
      await runtime.advance(200);
      expect(source.objects).to.have.length(3);
      expect(await next(events)).to.equal('ADDED late');
      await runtime.advance(2000);
      expect(source.finished).to.equal(true);
      await events.return(undefined);
    });
  });

  it('sends the bytes of the recording, and what namespaces, names and selectors choose', async () => {
    await serving(
      await recordingOf(changes),
      { speed: 'instant' },
      async ({ source, server, url }) => {
        const { version } = await listOf(url);
        const all = watch(url, `resourceVersion=${version}`);
        await next(all);
        await source.whenFinished();
        const late = source.objects.find(({ metadata }) => metadata.name === 'late');
        const path = `${server.url}/api/v1/namespaces/shop/pods`;
        expect(await (await fetch(`${path}/late`)).json()).to.deep.equal(late?.object);
        expect((await fetch(`${path}/missing`)).status).to.equal(404);
        expect((await listOf(`${server.url}/api/v1/namespaces/other/pods`)).names).to.deep.equal(
          [],
        );
        expect((await listOf(`${url}?fieldSelector=metadata.name=two`)).names).to.deep.equal([
          'two',
        ]);
        const labelled = watch(url, `labelSelector=app=web&resourceVersion=${version}`);
        expect((await listOf(`${url}?labelSelector=app=web`)).names).to.deep.equal([]);
        expect([await next(labelled), await next(labelled)]).to.deep.equal([
          'ADDED late',
          'DELETED late',
        ]);
        await labelled.return(undefined);
        await all.return(undefined);
      },
    );
  });

  it('fails as the server of the recording did, and sends a client to a list where it had one', async () => {
    const storm: Script = async (pods, runtime) => {
      pods.pause();
      pods.delete({ namespace: 'shop', name: 'one' });
      pods.closeWatches();
      pods.compact();
      pods.failNext('list', tooManyRequests('busy', 1));
      pods.resume();
      await runtime.advance(120_000);
    };
    await serving(await recordingOf(storm), { speed: 'step' }, async ({ source, url }) => {
      await source.step();
      const { version } = await listOf(url);
      const events = watch(url, `resourceVersion=${version}`);
      const end = next(events);
      expect((await source.step())?.what).to.equal('watch ended');
      expect(await end).to.equal('end');
      // The watch of the recorded program was refused with 410, which leads to the list that failed.
      for (;;) {
        const step = await source.step();
        if (step?.what.includes('busy') === true) break;
      }
      expect((await listOf(url)).code).to.equal(429);
      await source.step();
      expect((await listOf(url)).names).to.deep.equal(['two']);
      expect(await next(watch(url, `resourceVersion=${version}`))).to.equal('ERROR 410');
    });
  });

  it('closes connections where the recorded one was lost, until it was there again', async () => {
    const outage: Script = async (pods, runtime) => {
      pods.failNext('watch', new ListwatchError('CONNECTION_FAILED', 'no route'));
      pods.dropConnections();
      await runtime.advance(10_000);
    };
    await serving(await recordingOf(outage), { speed: 'step' }, async ({ source, url }) => {
      await source.step();
      const { version } = await listOf(url);
      const cut = rejection(next(watch(url, `resourceVersion=${version}`)));
      await source.step();
      expect((await cut).message).to.match(/terminated|fetch failed/);
      expect((await rejection(fetch(url))).message).to.include('fetch failed');
      while (!source.finished) await source.step();
      await until('an answer', async () => {
        const answer = await fetch(url).catch(() => undefined);
        return answer?.status === 200;
      });
    });
  });

  it('is the same cache for an informer as a replay that is read', async () => {
    const bytes = await recordingOf(changes);
    await serving(bytes, { speed: 'instant' }, async ({ source, server }) => {
      await using client = await connect({ server: server.url });
      await using informers = new SharedInformerFactory(client);
      const informer = informers.for<Pod>('v1', 'pods');
      informers.start();
      await source.whenFinished();
      await informer.caughtUp(source.resourceVersion, { timeoutMs: 600_000 });
      expect(informer.lister.list()).to.deep.equal(source.objects.map(({ object }) => object));
    });
  });

  it('answers a write with 405, another resource with 404, and says in discovery what it has', async () => {
    await serving(await recordingOf(changes), { speed: 'instant' }, async ({ server, url }) => {
      const write = await fetch(`${server.url}/api/v1/namespaces/shop/pods`, {
        method: 'POST',
        body: JSON.stringify(pod('new')),
      });
      expect(write.status).to.equal(405);
      expect(await write.json()).to.include({ kind: 'Status', reason: 'MethodNotAllowed' });
      const gone = await fetch(`${url.replace('/pods', '/namespaces/shop/pods')}/one`, {
        method: 'DELETE',
      });
      expect(gone.status).to.equal(405);
      expect((await fetch(`${server.url}/api/v1/secrets`)).status).to.equal(404);
      const { resources = [] } = await json(`${server.url}/api/v1`);
      expect(resources).to.have.length(1);
      expect(resources[0]).to.deep.include({ name: 'pods', verbs: ['get', 'list', 'watch'] });
    });
  });

  it('is either read or served, and says what it cannot serve', async () => {
    await serving(await recordingOf(changes), { speed: 'instant' }, async ({ source, server }) => {
      expect(await rejection(source.list({}))).to.include({ code: 'ALREADY_STARTED' });
      expect(await rejection(source.serve())).to.include({ code: 'ALREADY_STARTED' });
      const port = Number(new URL(server.url).port);
      await asFile(await recordingOf(changes), async (path) => {
        const other = await replay(path);
        expect(await rejection(other.serve({ port }))).to.include({ code: 'PORT_IN_USE' });
      });
    });
    await asFile(await recordingOf(async () => {}, 'sites.example.com'), async (path) => {
      const custom = await replay(path);
      const error = await rejection(custom.serve());
      expect(error.message).to.include('no object in it says the version and the kind');
    });
  });

  it('serves a custom resource by what its objects say', async () => {
    const sites: Script = async (pods) => {
      pods.add({ ...pod('hello'), apiVersion: 'example.com/v1', kind: 'Site' });
    };
    const bytes = await recordingOf(sites, 'sites.example.com in namespace shop');
    await serving(bytes, { speed: 'instant' }, async ({ server }) => {
      const url = `${server.url}/apis/example.com/v1/namespaces/shop/sites`;
      const events = watch(url, '');
      expect(await next(events)).to.equal('ADDED hello');
      const { kind } = await json(url);
      expect(kind).to.equal('SiteList');
      await events.return(undefined);
    });
  });
});

const MODULES = join(import.meta.dirname, '../../types/node_modules');
/** Its version 2 is for Node 22. */
const CLIENT_NODE = join(MODULES, 'client-node-1', 'dist', 'index.js');

describe('other clients of a replay that is served', () => {
  it('are the informers of @kubernetes/client-node', async function () {
    if (!existsSync(CLIENT_NODE)) {
      console.log('      skipped: npm ci --prefix spec/types installs @kubernetes/client-node');
      this.skip();
    }
    const { KubeConfig, CoreV1Api, makeInformer } = await import(pathToFileURL(CLIENT_NODE).href);
    await serving(await recordingOf(changes), { speed: 'instant' }, async ({ server }) => {
      const config = new KubeConfig();
      // It speaks plain HTTP only with the option that no certificate is checked.
      const cluster = { name: 'replay', server: server.url, skipTLSVerify: true };
      config.loadFromClusterAndUser(cluster, { name: 'reader' });
      const api = config.makeApiClient(CoreV1Api);
      const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
      const seen: string[] = [];
      for (const event of ['add', 'update', 'delete']) {
        informer.on(event, ({ metadata }: Pod) => seen.push(`${event} ${metadata.name}`));
      }
      informer.on('error', () => {});
      await informer.start();
      await until('the last event', () => seen.includes('delete one'));
      expect(seen).to.deep.equal(['add one', 'add two', 'add late', 'update late', 'delete one']);
      await informer.stop();
    });
  });

  const binaries = kubectlPaths();
  if (binaries.length === 0) {
    it('are kubectl, skipped: there is none on PATH, and LISTWATCH_KUBECTL names none', function () {
      console.log(
        '      skipped: no kubectl on PATH; LISTWATCH_KUBECTL=/path/to/kubectl names others',
      );
      this.skip();
    });
  }
  for (const kubectl of binaries) {
    it(`are kubectl get --watch: ${kubectl}`, async () => {
      await serving(await recordingOf(changes), { speed: 'instant' }, async ({ server }) => {
        const words = ['get', 'pods', '-A', '--watch', '-o', 'name'];
        const child = spawn(
          kubectl,
          ['--server', server.url, '--kubeconfig', '/dev/null', ...words],
          {
            stdio: ['ignore', 'pipe', 'inherit'],
          },
        );
        const lines: string[] = [];
        createInterface(child.stdout).on('line', (line) => lines.push(line));
        await until('the changes', () => lines.length === 5);
        expect(lines.map((line) => line.replace('pod/', ''))).to.deep.equal([
          'one',
          'two',
          'late',
          'late',
          'one',
        ]);
        child.kill();
        await once(child, 'close');
      });
    });
  }
});
