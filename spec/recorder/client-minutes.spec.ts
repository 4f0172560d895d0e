import { expect } from 'chai';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../lib/kernel/time/virtual-runtime.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';
import { replay } from '../../lib/recorder/replay/replay.ts';
import { asFile } from './support/memory-files.ts';
import {
  incident,
  playIncident,
  Program,
  READ,
  RecordedClient,
} from './support/recorded-client.ts';

/** The notifications of each resource, in order. */
function byResource(log: readonly string[]): Map<string, readonly string[]> {
  const lines = new Map<string, string[]>();
  for (const line of log) {
    const [resource = ''] = line.split(' ');
    lines.set(resource, [...(lines.get(resource) ?? []), line]);
  }
  return lines;
}

/** Lines of deletions that a relist notifies come in the order of the store. */
function sorted(lines: readonly string[]): readonly string[] {
  return lines.toSorted();
}

describe('the last minutes of a client', () => {
  for (const watchList of [true, false]) {
    it(`bring all caches to the state of the dump, with the calls of those minutes, ${watchList ? 'with' : 'without'} streaming lists`, async () => {
      let begun = 0;
      for (let seed = 1; seed <= 4; seed += 1) {
        const world = new RecordedClient();
        await world.prepare();
        const recording = await world.record({ keepMinutes: 1 });
        const program = new Program(world.client, world.runtime, watchList);
        program.start();
        await world.runtime.advance(10_000);
        let round = 0;
        await incident(world, seed, async () => {
          round += 1;
          await world.runtime.run(recording.dump());
          const what = `seed ${seed}, round ${round}`;
          const { objects } = program;
          const played = await playIncident(world.bytes, { speed: 'instant' }, watchList);
          expect(played.objects, what).to.deep.equal(objects);
          const notified = byResource(program.log);
          for (const [resource, lines] of byResource(played.log)) {
            const first = lines.findIndex((line) => !line.startsWith(`${resource} +`));
            if (first < 0) continue;
            begun += 1;
            const tail = lines.slice(first);
            const live = notified.get(resource)?.slice(-tail.length) ?? [];
            expect(sorted(tail), `${what}, ${resource}`).to.deep.equal(sorted(live));
          }
        });
        await program.close();
        await recording.close();
        expect(recording.failure).to.equal(undefined);
        await world.close();
      }
      expect(begun, 'dumps with changes').to.be.above(20);
    });
  }

  it('begin with the caches as they were, of informers that run when it begins', async () => {
    const world = new RecordedClient();
    await world.prepare();
    const program = new Program(world.client, world.runtime);
    program.start();
    await world.runtime.advance(10_000);
    const recording = await world.record({ keepMinutes: 10 });
    world.transport.reset();
    await world.runtime.advance(30_000);
    await world.apply('v1', 'nodes', 'node-2');
    await world.runtime.advance(1000);
    await world.runtime.run(recording.dump());
    const { objects } = program;
    const { log, objects: played } = await playIncident(world.bytes, { speed: 'instant' });
    expect(played).to.deep.equal(objects);
    expect(
      log.filter((line) => line.startsWith('nodes')).map((line) => line.split(' ')[1]),
    ).to.deep.equal(['+node-1', '+node-2']);
    await program.close();
    await recording.close();
    await world.close();
  });

  it('stay within their bytes, all readers together', async () => {
    const world = new RecordedClient();
    await world.prepare();
    const recording = await world.record({ keepMinutes: 60, maxBytes: 65_536 });
    const program = new Program(world.client, world.runtime);
    program.start();
    await world.runtime.advance(10_000);
    const nodes = world.client.resource('v1', 'nodes');
    let most = 0;
    for (let round = 0; round < 60; round += 1) {
      for (const [apiVersion, resource, namespace] of READ.slice(0, 3)) {
        const name = namespace === undefined ? 'big' : `${namespace}/big`;
        const annotations = { a: `${round} `.repeat(300) };
        await world.apply(apiVersion, resource, name, { metadata: { annotations } });
      }
      await world.runtime.run(nodes.list());
      await world.runtime.advance(1000);
      const { bytes, records } = recording.inspect();
      expect(bytes).to.be.at.most(65_536);
      expect(records).to.be.above(0);
      most = Math.max(most, bytes);
    }
    expect(most).to.be.above(50_000);
    await world.runtime.run(recording.dump());
    const { objects } = program;
    const played = await playIncident(world.bytes, { speed: 'instant' });
    expect(played.objects).to.deep.equal(objects);
    await program.close();
    await recording.close();
    expect(recording.inspect().bytes).to.equal(0);
    await world.close();
  });

  it('have the watch of a call that was open before, and no list whose beginning is gone', async () => {
    const world = new RecordedClient();
    await world.prepare();
    const recording = await world.record({ keepMinutes: 1 });
    const { runtime, client } = world;
    const nodes = client.resource('v1', 'nodes');
    await runtime.run(nodes.list());
    const abort = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of nodes.watch({ signal: abort.signal })) {
        if (event.type !== 'BOOKMARK') seen.push(event.object.metadata.name);
      }
    })().catch(() => {});
    await runtime.advance(120_000);
    await world.apply('v1', 'nodes', 'node-2');
    await runtime.settle();
    await runtime.run(recording.dump());
    await asFile(world.bytes, async (path) => {
      const played = new VirtualRuntime();
      const found = await replay(path, { runtime: played, speed: 'instant' });
      expect(
        found.collections.map(({ description, requests }) => [description, requests]),
      ).to.deep.equal([['nodes', 1]]);
      const stream = await played.run(found.watch({}));
      const { value } = await played.run(stream[Symbol.asyncIterator]().next());
      expect(value?.[0]).to.have.property('type', 'ADDED');
    });
    expect(seen).to.include('node-2');
    abort.abort();
    await runtime.run(reading);
    await recording.close();
    await world.close();
  });

  it('have an informer of several namespaces, each with its state', async () => {
    const world = new RecordedClient();
    await world.prepare();
    const { runtime, client } = world;
    const recording = await world.record({ keepMinutes: 1 });
    const informers = new SharedInformerFactory(client, { runtime, logger: silentLogger });
    const maps = informers.for<UnstructuredObject>('v1', 'configmaps', {
      namespaces: ['shop', 'web'],
    });
    informers.start();
    await runtime.run(informers.whenSynced({ timeoutMs: 60_000 }));
    await world.apply('v1', 'configmaps', 'web/old');
    await runtime.advance(180_000);
    await world.apply('v1', 'configmaps', 'shop/new');
    await runtime.advance(1000);
    await runtime.run(recording.dump());
    const names = maps.lister.list().map(({ metadata }) => metadata.name);
    expect(names).to.have.members(['first', 'old', 'new']);
    const { objects } = await playIncident(world.bytes, { speed: 'instant' }, true, [
      ['v1', 'configmaps', 'shop'],
      ['v1', 'configmaps', 'web'],
    ]);
    expect(objects['shop/configmaps']?.map(({ metadata }) => metadata?.name)).to.deep.equal([
      'first',
      'new',
    ]);
    expect(objects['web/configmaps']?.map(({ metadata }) => metadata?.name)).to.deep.equal(['old']);
    await runtime.run(informers.close());
    await recording.close();
    await world.close();
  });

  it('keep what an informer had until it stopped, and of one collection the last alone', async () => {
    const world = new RecordedClient();
    await world.prepare();
    const { runtime, client } = world;
    const recording = await world.record({ keepMinutes: 10 });
    const sizes: number[] = [];
    for (let run = 0; run < 4; run += 1) {
      const program = new Program(client, runtime, false, READ.slice(0, 1));
      program.start();
      await runtime.advance(1000);
      await world.apply('v1', 'nodes', `node-of-${run}`);
      await runtime.advance(1000);
      await program.close();
      sizes.push(recording.inspect().records);
    }
    expect(sizes[3]).to.be.below(2 * (sizes[1] ?? 0));
    await runtime.run(recording.dump());
    await asFile(world.bytes, async (path) => {
      const played = new VirtualRuntime();
      const found = await replay(path, { runtime: played, speed: 'instant' });
      const nodes = { apiVersion: 'v1', resource: 'nodes' };
      const read: number[] = [];
      for (let reader = 0; reader < 3; reader += 1) {
        const { items } = await played.run(found.listerWatcher(nodes).list({}));
        read.push(items.length);
      }
      expect(read).to.deep.equal([3, 4, 4]);
    });
    await recording.close();
    await world.close();
  });

  it('are written when a list or a watch of an informer fails, and not when a program ends it', async () => {
    const world = new RecordedClient();
    await world.prepare();
    const { runtime, transport, files } = world;
    const recording = await world.record({ keepMinutes: 10, dumpOn: ['error'] });
    const program = new Program(world.client, runtime);
    program.start();
    await runtime.advance(10_000);
    const other = new Program(world.client, runtime, false, READ.slice(0, 1));
    other.start();
    await runtime.advance(10_000);
    await other.close();
    await runtime.advance(10_000);
    expect(files.files.size, 'after the end of a program').to.equal(0);
    transport.weather = 'refusing';
    transport.reset();
    await runtime.advance(10_000);
    expect([...files.files.keys()]).to.deep.equal(['incident.listwatch']);
    await program.close();
    await recording.close();
    await world.close();
  });
});
