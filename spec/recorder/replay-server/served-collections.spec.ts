import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { replay, type Replay, type ReplayOptions } from '../../../lib/recorder/replay/replay.ts';
import { until } from '../../support/until.ts';
import { asFile } from '../support/memory-files.ts';
import { Program, READ, RecordedClient } from '../support/recorded-client.ts';

/** The recording of a program of all collections. */
async function recordingOf(
  script: (world: RecordedClient) => Promise<void>,
  watchList = false,
  read: typeof READ = READ,
): Promise<{ readonly bytes: Buffer; readonly objects: Program['objects'] }> {
  const world = new RecordedClient();
  await world.prepare();
  await world.apply('v1', 'configmaps', 'web/other');
  const recording = await world.record();
  const program = new Program(world.client, world.runtime, watchList, read);
  program.start();
  await world.runtime.advance(5000);
  await script(world);
  await world.runtime.advance(1000);
  const { objects } = program;
  await program.close();
  await recording.close();
  await world.close();
  return { bytes: world.bytes, objects };
}

/** A node comes, then a map in each namespace. */
async function changes(world: RecordedClient): Promise<void> {
  await world.apply('v1', 'nodes', 'node-2');
  await world.runtime.advance(1000);
  await world.apply('v1', 'configmaps', 'shop/late');
  await world.runtime.advance(1000);
  await world.apply('v1', 'configmaps', 'web/later');
  await world.delete('configmaps', 'shop/first');
}

async function serving(
  bytes: Buffer,
  options: ReplayOptions,
  use: (url: string, incident: Replay) => Promise<void>,
): Promise<void> {
  await asFile(bytes, async (path) => {
    const incident = await replay(path, options);
    await using server = await incident.serve();
    await use(server.url, incident);
  });
}

interface Answer {
  readonly kind: string;
  readonly code?: number;
  readonly metadata: { readonly resourceVersion: string };
  readonly items?: readonly KubernetesObject[];
  readonly resources?: readonly { readonly name: string; readonly kind: string }[];
}

async function json(url: string): Promise<Answer> {
  return (await (await fetch(url)).json()) as Answer;
}

async function names(url: string): Promise<string> {
  const { items = [] } = await json(url);
  return items.map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name}`).join();
}

function sortedNames(objects: readonly KubernetesObject[]): string {
  return objects
    .map(({ metadata }) => metadata?.name ?? '')
    .toSorted((one, other) => one.localeCompare(other))
    .join();
}

/** The result of a promise that is settled; otherwise another value. */
async function settled(work: Promise<unknown>): Promise<unknown> {
  return await Promise.race([work, Promise.resolve(NOT_YET)]);
}

const NOT_YET = Symbol('not yet');

/** The events of a watch, as they come. */
function watched(url: string): { readonly lines: readonly string[]; close(): void } {
  const lines: string[] = [];
  const stop = new AbortController();
  const read = async (): Promise<void> => {
    const response = await fetch(url, { signal: stop.signal });
    let text = '';
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString();
      const whole = text.split('\n');
      text = whole.pop() ?? '';
      for (const line of whole) {
        const { type, object } = JSON.parse(line);
        lines.push(`${type} ${object.metadata?.name ?? object.code}`);
      }
    }
  };
  read().catch(() => {});
  return { lines, close: () => stop.abort() };
}

describe('several collections of a replay that is served', () => {
  for (const watchList of [false, true]) {
    it(`are listed and watched in the order of the recording, ${watchList ? 'with' : 'without'} streaming lists`, async () => {
      const { bytes } = await recordingOf(changes, watchList);
      await serving(bytes, { speed: 'step' }, async (url, incident) => {
        const maps = `${url}/api/v1/configmaps`;
        const listed = Promise.all(
          [maps, `${url}/api/v1/nodes`, `${url}/apis/example.com/v1/sites`].map(names),
        );
        let step = incident.step();
        while ((await Promise.race([step, listed])) !== (await settled(listed)))
          step = incident.step();
        expect(await names(`${url}/api/v1/nodes`)).to.equal('/node-1');
        expect(await names(maps)).to.equal('shop/first,web/other');
        expect(await names(`${url}/api/v1/namespaces/web/configmaps`)).to.equal('web/other');
        const { metadata } = await json(maps);
        const events = watched(`${maps}?watch=true&resourceVersion=${metadata.resourceVersion}`);
        let first = await step;
        while (first?.collection === 'sites.example.com') first = await incident.step();
        expect(first).to.deep.include({ what: 'events', collection: 'nodes' });
        expect(await names(`${url}/api/v1/nodes`)).to.equal('/node-1,/node-2');
        expect(await names(maps)).to.equal('shop/first,web/other');
        while ((await incident.step()) !== undefined);
        await until('the events', () => events.lines.length === 3);
        expect(events.lines.join()).to.equal('ADDED late,ADDED later,DELETED first');
        expect(await names(maps)).to.equal('web/other,shop/late,web/later');
        events.close();
      });
    });

    it(`have the kind of a custom resource without objects from its ${watchList ? 'stream' : 'list'}`, async () => {
      const { bytes } = await recordingOf(changes, watchList);
      await serving(bytes, { speed: 'instant' }, async (url) => {
        const sites = `${url}/apis/example.com/v1`;
        const { kind, items } = await json(`${sites}/sites`);
        expect([kind, items]).to.deep.equal(['WebSiteList', []]);
        const { resources } = await json(sites);
        expect(resources).to.have.length(1);
        expect(resources?.[0]).to.deep.include({ name: 'sites', kind: 'WebSite' });
        expect((await json(`${sites}/namespaces/shop/sites`)).kind).to.equal('WebSiteList');
        const { resources: core = [] } = await json(`${url}/api/v1`);
        expect(core.map(({ name }) => name)).to.have.members(['nodes', 'configmaps']);
      });
    });
  }

  it('are the same caches for informers as those of the recorded program', async () => {
    const { bytes, objects } = await recordingOf(async (world) => {
      await changes(world);
      world.transport.weather = 'refusing';
      world.transport.reset();
      await world.delete('configmaps', 'web/later');
      await world.runtime.advance(20_000);
      world.transport.weather = 'fair';
      await world.runtime.advance(60_000);
      await world.apply('v1', 'nodes', 'node-3');
    });
    await serving(bytes, { speed: 'instant' }, async (url, incident) => {
      await using client = await connect({ server: url, logger: silentLogger });
      await using informers = new SharedInformerFactory(client, { logger: silentLogger });
      const made = READ.map(([apiVersion, resource, namespace]) => {
        const informer = informers.for(apiVersion, resource as never, { namespace });
        return [namespace === undefined ? resource : `${namespace}/${resource}`, informer] as const;
      });
      informers.start();
      await incident.whenFinished();
      await until('the objects', () => {
        const found = made.map(([name, informer]) => [
          name,
          sortedNames([...informer.lister.list()]),
        ]);
        const wanted = Object.entries(objects).map(([name, all]) => [name, sortedNames(all)]);
        return JSON.stringify(found) === JSON.stringify(wanted);
      });
    });
  });

  it('go on for a client that wants a collection which was listed later', async () => {
    const { bytes } = await recordingOf(async (world) => {
      await changes(world);
      await world.runtime.run(sleep(world.runtime, 10_000));
      await world.runtime.run(world.client.resource('v1', 'namespaces').list());
    });
    await serving(bytes, { speed: 'instant' }, async (url) => {
      expect(await names(`${url}/api/v1/nodes`)).to.equal('/node-1');
      expect(await names(`${url}/api/v1/namespaces`)).to.include('/shop');
      expect(await names(`${url}/api/v1/nodes`)).to.equal('/node-1,/node-2');
    });
  });

  it('show a change once that two readers got', async () => {
    const read: typeof READ = [
      ['v1', 'configmaps'],
      ['v1', 'configmaps', 'shop'],
    ];
    const { bytes } = await recordingOf(changes, false, read);
    await serving(bytes, { speed: 'instant' }, async (url, incident) => {
      const maps = `${url}/api/v1/configmaps`;
      const { metadata } = await json(maps);
      const events = watched(`${maps}?watch=true&resourceVersion=${metadata.resourceVersion}`);
      await incident.whenFinished();
      await until('the events', () => events.lines.length >= 3);
      expect(await names(maps)).to.include('web/later');
      expect(events.lines.join()).to.equal('ADDED late,ADDED later,DELETED first');
      events.close();
    });
  });
});
