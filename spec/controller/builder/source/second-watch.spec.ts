import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import type { Transport } from '../../../../lib/client/transport/contract/transport.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import type { ConfigMap } from '../../../../lib/types/index.ts';
import { ControllerWorld } from '../controller-world.ts';

const ORIGINAL = { labelSelector: 'copy=yes' };
const COPY = { labelSelector: 'copy-of' };

/** The original of a copy. */
const originalOf = ({ metadata }: ConfigMap): string[] => {
  const name = metadata?.labels?.['copy-of'];
  return name === undefined ? [] : [`default/${name}`];
};

describe('a second watch of one resource', () => {
  let world: ControllerWorld;
  let runs: string[];

  beforeEach(() => {
    world = new ControllerWorld();
    runs = [];
  });

  afterEach(async () => {
    await world.stop();
  });

  const maps = (namespace: string = 'default') =>
    world.user.resource('v1', 'configmaps', { namespace });
  const create = async (name: string, labels: Readonly<Record<string, string>> = {}) =>
    await world.after(maps().create({ metadata: { name, labels } }));
  const note = async (_object: unknown, { key }: { readonly key: string }): Promise<void> => {
    runs.push(key);
  };

  it('is one of the own kind with other objects: a copy that is deleted is made again', async () => {
    const one = controller(world.client, 'v1', 'configmaps', { ...world.options, ...ORIGINAL })
      .watches('v1', 'configmaps', originalOf, COPY)
      .reconcile(async ({ metadata: { name }, data }, { key, resource }) => {
        runs.push(key);
        const labels = { 'copy-of': name };
        const metadata = { name: `${name}-copy`, labels };
        const copy = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as const;
        await resource('v1', 'configmaps').apply(copy);
      });
    await create('a', { copy: 'yes' });
    await world.start(one);
    expect(runs).to.deep.equal(['default/a']);
    await world.after(maps().delete('a-copy'));
    expect(runs).to.deep.equal(['default/a', 'default/a']);
    expect(await world.after(maps().get('a-copy'))).to.have.nested.property('metadata.name');
    // Each selects objects of its own.
    expect(one.informers).to.have.length(2);
    expect(one.inspect().sources.map(({ resource, role }) => [resource, role])).to.deep.equal([
      ['v1/configmaps', 'own'],
      ['v1/configmaps', 'watched'],
    ]);
  });

  it('has the cache of the first one if both are of the same objects', async () => {
    const one = controller(world.client, 'v1', 'configmaps', world.options)
      .watches('v1', 'configmaps', originalOf)
      .watches('v1', 'configmaps', ({ data }) => data?.['also'] ?? [])
      .owns('v1', 'configmaps')
      .reconcile(async (_map, { key, lister, owned }) => {
        const names = lister('v1', 'configmaps')
          .list()
          .map(({ metadata }) => metadata.name);
        runs.push(`${key}: ${names.filter((name) => name.length === 1).join(' ')}`);
        expect(owned('v1', 'configmaps')).to.deep.equal([]);
      });
    await create('a');
    await world.start(one);
    expect(one.informers).to.have.length(1);
    runs = [];
    const labels = { 'copy-of': 'a' };
    await world.after(
      maps().create({ metadata: { name: 'b', labels }, data: { also: 'default/c' } }),
    );
    expect(runs.toSorted()).to.deep.equal(['default/a: a b', 'default/b: a b']);
    expect(one.inspect().history.filter(({ key }) => key === 'default/c')).to.have.length(1);
  });

  it('is read by its name, or by an index that it alone has', async () => {
    const read: unknown[] = [];
    const one = controller(world.client, 'v1', 'configmaps', { ...world.options, ...ORIGINAL })
      .watches('v1', 'configmaps', originalOf, {
        ...COPY,
        name: 'copies',
        indexers: { byOriginal: originalOf },
      })
      .reconcile(async (_map, { key, lister, byIndex }) => {
        const names = (list: readonly { metadata: { name: string } }[]): string[] =>
          list.map(({ metadata }) => metadata.name);
        read.push(names(lister('v1', 'configmaps').list()));
        read.push(names(lister('v1', 'configmaps', { source: 'copies' }).list()));
        read.push(names(byIndex('v1', 'configmaps', 'byOriginal', key)));
      });
    await create('a', { copy: 'yes' });
    await create('b', { 'copy-of': 'a' });
    await world.start(one);
    expect(read).to.deep.equal([['a'], ['b'], ['b']]);
    expect(one.inspect().sources[1]).to.include({ name: 'copies' });
  });

  it('has to be named by a read when it has no name', async () => {
    const texts: string[] = [];
    const one = controller(world.client, 'v1', 'configmaps', { ...world.options, ...ORIGINAL })
      .watches('v1', 'configmaps', originalOf, COPY)
      .watches('v1', 'configmaps', originalOf, { labelSelector: 'other', name: 'others' })
      .reconcile(async (_map, { lister }) => {
        for (const source of [undefined, 'copies']) {
          try {
            lister('v1', 'configmaps', { source });
          } catch (error) {
            texts.push((error as Error).message);
          }
        }
      });
    await create('a', { copy: 'yes' });
    await world.start(one);
    expect(texts).to.deep.equal([
      'configmaps watches v1/configmaps with several scopes: give the declarations option "name", and read with { source: NAME }',
      'configmaps has no declaration of v1/configmaps with the name "copies"; known are others',
    ]);
  });

  it('keeps its own namespaces when those of the controller change', async () => {
    for (const name of ['one', 'two']) {
      await world.after(world.user.resource('v1', 'namespaces').create({ metadata: { name } }));
    }
    const options = { ...world.options, namespaces: ['one'] };
    const one = controller(world.client, 'v1', 'configmaps', options)
      .watches('v1', 'configmaps', () => 'two/seen', { namespaces: ['one'] })
      .whenGone(async ({ key }) => {
        runs.push(key);
      })
      .reconcile(note);
    await world.start(one);
    await world.after(one.setNamespaces(['two'], { timeoutMs: 5_000 }));
    runs = [];
    await world.after(maps('one').create({ metadata: { name: 'a' } }));
    expect(runs).to.deep.equal(['two/seen']);
    await world.after(maps('two').create({ metadata: { name: 'b' } }));
    expect(runs).to.deep.equal(['two/seen', 'two/b']);
  });

  it('brings writes of a run to other objects, and not to its own', async () => {
    const one = controller(world.client, 'v1', 'configmaps', {
      ...world.options,
      labelSelector: 'chain',
    })
      .watches('v1', 'configmaps', ({ data }) => data?.['for'] ?? [], {
        labelSelector: 'chain',
      })
      .reconcile(async ({ metadata: { name } }, { key, resource }) => {
        runs.push(key);
        if (name !== 'a') return;
        const data = { for: 'default/c', run: String(runs.length) };
        await resource('v1', 'configmaps').patch('b', { data });
        await resource('v1', 'configmaps').patch('a', { data: { run: String(runs.length) } });
      });
    for (const name of ['b', 'c']) await create(name, { chain: 'yes' });
    await world.start(one);
    runs = [];
    await create('a', { chain: 'yes' });
    // Default predicates let a change of data pass, because config maps have no generation.
    expect(runs.toSorted()).to.deep.equal(['default/a', 'default/b', 'default/c']);
  });

  it('does so when the events come after the answers', async () => {
    const serving = inProcessTransport(world.server.handler);
    async function* late(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of body) {
        await sleep(world.runtime, 1_000);
        yield piece;
      }
    }
    const transport: Transport = {
      server: serving.server,
      close: () => serving.close(),
      send: async (request) => {
        const response = await serving.send(request);
        return request.path.includes('watch=')
          ? { ...response, body: late(response.body) }
          : response;
      },
    };
    await using client = new Client({ transport, runtime: world.runtime, fieldManager: 'spec' });
    const one = controller(client, 'v1', 'configmaps', { ...world.options, labelSelector: 'chain' })
      .watches('v1', 'secrets', ({ data }) =>
        Object.keys(data ?? {}).map((key) => `default/${key}`),
      )
      .reconcile(async ({ metadata: { name } }, { key, resource }) => {
        runs.push(key);
        if (name !== 'a') return;
        const run = String(runs.length);
        await resource('v1', 'configmaps').patch('b', { data: { run } });
        await resource('v1', 'configmaps').patch('a', { data: { run } });
        await resource('v1', 'secrets').create({
          metadata: { name: `of-${run}` },
          data: { a: '', c: '' },
        });
      });
    for (const name of ['b', 'c']) await create(name, { chain: 'yes' });
    await world.start(one);
    await world.runtime.advance(10_000);
    runs = [];
    await create('a', { chain: 'yes' });
    await world.runtime.advance(60_000);
    expect(runs.toSorted()).to.deep.equal(['default/a', 'default/b', 'default/c']);
    const [own, secrets] = one.inspect().sources;
    expect([own?.ownWrites, secrets?.ownWrites]).to.deep.equal([1, 1]);
    await world.runtime.run(one.close());
  });

  it('is refused when it says the same as another one, or has its name', () => {
    const builder = () => controller(world.client, 'v1', 'configmaps', world.options);
    expect(() =>
      builder()
        .watches('v1', 'secrets', originalOf as never)
        .watches('v1', 'secrets', originalOf as never),
    ).to.throw('controller.watches: v1/secrets is declared twice with one mapping');
    expect(() =>
      builder()
        .watches('v1', 'secrets', originalOf as never, { where: ({ type }) => type === 'added' })
        .watches('v1', 'secrets', originalOf as never, { where: ({ type }) => type === 'deleted' }),
    ).to.not.throw();
    expect(() => builder().owns('v1', 'pods').owns('v1', 'pods', COPY)).to.throw(
      'controller.owns: v1/pods is declared twice; declare it once',
    );
    expect(() =>
      builder()
        .owns('v1', 'pods', { name: 'all' })
        .watches('v1', 'pods', () => [], { name: 'all' }),
    ).to.throw('controller: two declarations of v1/pods have the name "all"; give each its own');
  });
});
