import { expect } from 'chai';
import { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { replay, type Replay, type ReplayOptions } from '../../lib/recorder/replay/replay.ts';
import { rejection } from '../cache/support/objects.ts';
import { asFile } from './support/memory-files.ts';
import {
  incident,
  playIncident,
  Program,
  READ,
  RecordedClient,
} from './support/recorded-client.ts';

async function recorded(
  seed: number,
  watchList: boolean,
): Promise<{
  readonly bytes: Buffer;
  readonly log: readonly string[];
  readonly objects: Program['objects'];
}> {
  const world = new RecordedClient();
  await world.prepare();
  const recording = await world.record();
  const program = new Program(world.client, world.runtime, watchList);
  program.start();
  await world.runtime.advance(10_000);
  await incident(world, seed);
  const { objects } = program;
  await program.close();
  await recording.close();
  expect(recording.failure).to.equal(undefined);
  await world.close();
  return { bytes: world.bytes, log: program.log, objects };
}

describe('the recording of a client', () => {
  for (const watchList of [true, false]) {
    it(`gives the handlers of several collections the same calls in the same order, ${watchList ? 'with' : 'without'} streaming lists`, async () => {
      for (let seed = 1; seed <= 3; seed += 1) {
        const { bytes, log, objects } = await recorded(seed, watchList);
        expect(log.length).to.be.above(20);
        for (const speed of [1, 'step', 'instant'] as const) {
          const what = `seed ${seed}, speed ${speed}`;
          const once = await playIncident(bytes, { speed }, watchList);
          expect(once.log, what).to.deep.equal(log);
          expect(once.objects, what).to.deep.equal(objects);
          expect(await playIncident(bytes, { speed }, watchList), what).to.deep.equal(once);
        }
      }
    });
  }

  it('steps through all collections in the order of the recording', async () => {
    const { bytes } = await recorded(1, false);
    const { steps } = await playIncident(bytes, { speed: 'step' }, false);
    const times = steps.map(({ atMs }) => atMs);
    expect(times).to.deep.equal(times.toSorted((one, other) => one - other));
    expect(new Set(steps.map(({ collection }) => collection)).size).to.equal(4);
  });

  it('is replayed without those collections that a program does not read', async () => {
    const { bytes, log } = await recorded(2, true);
    const some = await playIncident(bytes, { speed: 'step' }, true, READ.slice(0, 1));
    expect(some.log).to.deep.equal(log.filter((line) => line.startsWith('nodes')));
  });

  it('has the requests of informers of one and of several namespaces, and calls of list and watch, each with its reader', async () => {
    const { bytes } = await recordedCalls();
    await opened(bytes, {}, async (incident) => {
      expect(incident.header).to.include({ format: 4, collection: 'several collections' });
      const texts = incident.collections.map(({ description, requests }) => [
        description,
        requests,
      ]);
      expect(texts).to.deep.equal([
        ['configmaps in namespace shop', 2],
        ['configmaps in namespace web', 2],
        ['nodes, metadata only', 2],
        ['secrets with labels app=door', 1],
        ['nodes', 1],
      ]);
      expect(incident.collections[3]).to.deep.include({
        apiVersion: 'v1',
        resource: 'secrets',
        labelSelector: 'app=door',
      });
    });
    expect(bytes.includes('bWFza2Vk'), 'a masked value').to.equal(true);
    expect(bytes.includes('aGlkZGVu'), 'a value of a Secret').to.equal(false);
  });

  it('is read by an informer of several namespaces', async () => {
    const { bytes } = await recordedCalls();
    await opened(bytes, { speed: 'instant' }, async (incident, runtime) => {
      const maps = { apiVersion: 'v1', resource: 'configmaps' };
      const informer = new SharedIndexInformer<KubernetesObject>({
        listerWatcher: incident.listerWatcher(maps),
        namespaces: ['shop', 'web'],
        inNamespace: (namespace) => incident.listerWatcher(maps, { namespace }),
        runtime,
        logger: silentLogger,
      });
      const running = informer.run();
      await runtime.run(informer.whenSynced({ timeoutMs: 60_000 }));
      const names = informer.lister.list().map(({ metadata }) => metadata?.name);
      expect(names).to.include.members(['first', 'in-web']);
      await runtime.run(informer.close());
      await running;
    });
  });

  it('gives a collection that was read twice to its readers one after the other, and the last one again', async () => {
    const world = new RecordedClient();
    await world.prepare();
    const recording = await world.record();
    const nodes = world.client.resource('v1', 'nodes');
    await world.runtime.run(nodes.list());
    const one = world.client.listerWatcher({ apiVersion: 'v1', resource: 'nodes' });
    await world.runtime.run(one.list({}));
    await world.apply('v1', 'nodes', 'node-2');
    const two = world.client.listerWatcher({ apiVersion: 'v1', resource: 'nodes' });
    await world.runtime.run(two.list({}));
    await recording.close();
    await world.runtime.run(two.list({}));
    await world.close();
    await opened(world.bytes, { speed: 'instant' }, async (incident, runtime) => {
      expect(incident.collections.map(({ requests }) => requests)).to.deep.equal([3]);
      const sizes: number[] = [];
      for (let reader = 0; reader < 4; reader += 1) {
        const source = incident.listerWatcher({ apiVersion: 'v1', resource: 'nodes' });
        sizes.push((await runtime.run(source.list({}))).items.length);
      }
      // The informers' sources first, then the call.
      expect(sizes).to.deep.equal([1, 2, 1, 1]);
      expect(incident.finished).to.equal(true);
    });
  });

  it('names its collections when another one, or none, is requested', async () => {
    const { bytes } = await recordedCalls();
    await opened(bytes, {}, async (incident) => {
      const pods = { apiVersion: 'v1', resource: 'pods' };
      expect(() => incident.listerWatcher(pods, { namespace: 'shop' }))
        .to.throw('has no pods in namespace shop; it has configmaps in namespace shop; ')
        .with.property('code', 'INVALID_OPTION');
      const secrets = { apiVersion: 'v1', resource: 'secrets' };
      expect(() => incident.listerWatcher(secrets)).to.throw('has no secrets; it has');
      const error = await rejection(incident.list({}));
      expect(error).to.have.property('code', 'INVALID_OPTION');
      expect(error.message).to.include('several collections').and.to.include('; nodes');
      expect(() => incident.objects).to.throw('several collections');
    });
  });

  it('waits half a minute for a reader that asks for nothing, and not longer', async () => {
    const bytes = await recordedQuietly();
    await opened(bytes, { speed: 'instant' }, async (incident, runtime) => {
      const nodes = incident.listerWatcher({ apiVersion: 'v1', resource: 'nodes' });
      const maps = incident.listerWatcher(
        { apiVersion: 'v1', resource: 'configmaps' },
        { namespace: 'shop' },
      );
      const early = maps.list({}).then(() => runtime.monotonicMs());
      await runtime.advance(29_000);
      await runtime.run(nodes.list({}));
      expect(await runtime.run(early)).to.equal(29_000);
      const events = (await runtime.run(maps.watch({})))[Symbol.asyncIterator]();
      await runtime.run(events.next());
      expect(runtime.monotonicMs(), 'nodes has an event before, which is not asked for').to.equal(
        59_000,
      );
    });
  });

  it('is a source by itself when it has one collection', async () => {
    const world = new RecordedClient();
    await world.prepare();
    const recording = await world.record();
    await world.runtime.run(world.client.resource('v1', 'nodes').list());
    await recording.close();
    await world.close();
    await opened(world.bytes, { speed: 'instant' }, async (incident, runtime) => {
      const { items } = await runtime.run(incident.list({}));
      expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['node-1']);
      expect(incident.objects).to.have.length(1);
    });
  });

  it('gives no source', async () => {
    const world = new RecordedClient();
    const recording = await world.record();
    expect(() => recording.listerWatcher).to.throw('read as before from the client');
    await recording.close();
    await world.close();
  });
});

async function opened(
  bytes: Buffer,
  options: ReplayOptions,
  use: (incident: Replay, runtime: VirtualRuntime) => Promise<void>,
): Promise<void> {
  await asFile(bytes, async (path) => {
    const runtime = new VirtualRuntime();
    await use(await replay(path, { runtime, ...options }), runtime);
  });
}

/** An informer of two namespaces, one of metadata, and calls. */
async function recordedCalls(): Promise<{ readonly bytes: Buffer }> {
  const world = new RecordedClient();
  await world.prepare();
  await world.apply('v1', 'configmaps', 'web/in-web');
  const labels = { app: 'door' };
  await world.apply('v1', 'secrets', 'shop/door', {
    data: { a: 'aGlkZGVu' },
    metadata: { labels },
  });
  const recording = await world.record();
  const { client, runtime } = world;
  const options = { runtime, logger: silentLogger, watchList: false };
  const maps = new SharedIndexInformer<KubernetesObject>({
    ...options,
    listerWatcher: client.listerWatcher({ apiVersion: 'v1', resource: 'configmaps' }),
    namespaces: ['shop', 'web'],
    inNamespace: (namespace) =>
      client.listerWatcher({ apiVersion: 'v1', resource: 'configmaps' }, { namespace }),
  });
  const running = maps.run();
  await runtime.run(maps.whenSynced({ timeoutMs: 60_000 }));
  const secrets = client.resource('v1', 'secrets');
  await runtime.run(secrets.list({ labelSelector: 'app=door' }));
  await runtime.run(client.resource('v1', 'nodes').list());
  const nodes = new SharedIndexInformer<KubernetesObject>({
    ...options,
    listerWatcher: client.listerWatcher(
      { apiVersion: 'v1', resource: 'nodes' },
      { metadataOnly: true },
    ),
  });
  const watching = nodes.run();
  await runtime.run(nodes.whenSynced({ timeoutMs: 60_000 }));
  await runtime.run(nodes.close());
  await runtime.run(maps.close());
  await Promise.all([running, watching]);
  await recording.close();
  await world.close();
  return { bytes: world.bytes };
}

/** Two informers, and a change of each. */
async function recordedQuietly(): Promise<Buffer> {
  const world = new RecordedClient();
  await world.prepare();
  const recording = await world.record();
  const program = new Program(world.client, world.runtime, false, READ.slice(0, 2));
  program.start();
  await world.runtime.advance(1000);
  await world.apply('v1', 'nodes', 'node-2');
  await world.apply('v1', 'configmaps', 'shop/second');
  await world.runtime.advance(1000);
  await program.close();
  await recording.close();
  await world.close();
  return world.bytes;
}
