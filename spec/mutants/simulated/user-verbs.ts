import { sleep } from '../../../lib/kernel/time/wait.ts';
import type { SimulatedController } from '../../../lib/simulator/contract/simulated-controller.ts';
import type { SimulationOptions } from '../../../lib/simulator/contract/simulation-options.ts';
import type { WorkloadStep } from '../../../lib/simulator/contract/world.ts';
import { labels, map, maps, namesOf, NAMESPACE, same, statusOf, step } from './user-calls.ts';

const writes: readonly WorkloadStep[] = [
  step('create, and create again', async (user) => {
    const created = await maps(user).create(map('one', 'first'));
    same('the text', created.data, { text: 'first' });
    same('the namespace', created.metadata.namespace, NAMESPACE);
    same('the second create', await statusOf(maps(user).create(map('one', 'second'))), 409);
    same('no such object', await statusOf(maps(user).get('none')), 404);
    same('a bad name', await statusOf(maps(user).create(map('Bad_Name', 'x'))), 422);
    same('what is stored', (await maps(user).get('one')).data, { text: 'first' });
    same('a dry run', (await maps(user).create(map('dry', 'x'), { dryRun: true })).data, {
      text: 'x',
    });
    same('nothing is stored', await statusOf(maps(user).get('dry')), 404);
  }),
  step('update with the right and with an old version', async (user) => {
    const old = await maps(user).get('one');
    const next = await maps(user).update({ ...old, data: { text: 'second' } });
    same(
      'the version',
      Number(next.metadata.resourceVersion) > Number(old.metadata.resourceVersion),
      true,
    );
    same('the uid', next.metadata.uid, old.metadata.uid);
    same(
      'an old version',
      await statusOf(maps(user).update({ ...old, data: { text: 'third' } })),
      409,
    );
    same('what is stored', (await maps(user).get('one')).data, { text: 'second' });
    const again = await maps(user).update(next);
    same('no change', again.metadata.resourceVersion, next.metadata.resourceVersion);
  }),
  step('patch in each way', async (user) => {
    await maps(user).patch('one', { data: { more: 'yes', text: null } });
    same('merged', (await maps(user).get('one')).data, { more: 'yes' });
    await maps(user).patch('one', [
      { op: 'test', path: '/data/more', value: 'yes' },
      { op: 'add', path: '/data/text', value: 'json' },
      { op: 'remove', path: '/data/more' },
    ]);
    same('patched', (await maps(user).get('one')).data, { text: 'json' });
    const wrong = [
      { op: 'test', path: '/data/text', value: 'no' },
      { op: 'remove', path: '/data/text' },
    ];
    same('a test that fails', await statusOf(maps(user).patch('one', wrong)), 422);
    const stale = { metadata: { resourceVersion: '1' }, data: { text: 'stale' } };
    same('an old version', await statusOf(maps(user).patch('one', stale)), 409);
  }),
  step('apply by two managers', async (user) => {
    const part = (data: Readonly<Record<string, string>>) =>
      ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data }) as const;
    await maps(user).apply(part({ a: '1', b: '1' }), { fieldManager: 'first', force: false });
    await maps(user).apply(part({ c: '1' }), { fieldManager: 'second', force: false });
    same('both', (await maps(user).get('applied')).data, { a: '1', b: '1', c: '1' });
    same(
      'a conflict',
      await statusOf(maps(user).apply(part({ a: '2' }), { fieldManager: 'second', force: false })),
      409,
    );
    await maps(user).apply(part({ a: '2', c: '1' }), { fieldManager: 'second', force: true });
    await maps(user).apply(part({ b: '2' }), { fieldManager: 'first', force: false });
    const { data, metadata } = await maps(user).get('applied');
    same('what is left', data, { a: '2', b: '2', c: '1' });
    same('the managers', metadata.managedFields?.map(({ manager }) => manager).toSorted(), [
      'first',
      'second',
    ]);
    await maps(user).apply(part({}), { fieldManager: 'second', force: false });
    same('what the first has', (await maps(user).get('applied')).data, { b: '2' });
  }),
  step('delete with preconditions and finalizers', async (user) => {
    const held = await maps(user).create({
      ...map('held', 'x'),
      metadata: { name: 'held', labels, finalizers: ['example.com/hold'] },
    });
    const wrong = { preconditions: { uid: 'f0000000-0000-4000-8000-000000000000' } };
    same('another uid', await statusOf(maps(user).delete('held', wrong)), 409);
    const deleted = await maps(user).delete('held', { preconditions: { uid: held.metadata.uid } });
    same('it is marked', deleted?.metadata.deletionTimestamp !== undefined, true);
    const marked = await maps(user).get('held');
    same(
      'a new finalizer',
      await statusOf(
        maps(user).patch('held', {
          metadata: { finalizers: ['example.com/hold', 'example.com/more'] },
        }),
      ),
      422,
    );
    same('its finalizers', marked.metadata.finalizers, ['example.com/hold']);
    await maps(user).patch('held', { metadata: { finalizers: null } });
    same('it is gone', await statusOf(maps(user).get('held')), 404);
    same('nothing to delete', await statusOf(maps(user).delete('held')), 404);
  }),
];

const reads: readonly WorkloadStep[] = [
  step('list in pages and by selectors', async (user) => {
    const api = maps(user, 'lists');
    for (const name of ['e', 'c', 'a', 'd', 'b'])
      await api.create(map(name, name, { odd: 'ace'.includes(name) ? 'yes' : 'no' }));
    same('in order', namesOf((await api.list()).items), 'a,b,c,d,e');
    const first = await api.list({ limit: 2 });
    same('the first page', namesOf(first.items), 'a,b');
    await api.create(map('bb', 'x'));
    const second = await api.list({ limit: 2, continueToken: first.continueToken });
    same('the second page', namesOf(second.items), 'c,d');
    const third = await api.list({ limit: 2, continueToken: second.continueToken });
    same('the last page', [namesOf(third.items), third.continueToken ?? ''], ['e', '']);
    same('by label', namesOf((await api.list({ labelSelector: 'odd=yes' })).items), 'a,c,e');
    same(
      'by another label',
      namesOf((await api.list({ labelSelector: 'odd notin (yes),app=shop' })).items),
      'b,bb,d',
    );
    same('by name', namesOf((await api.list({ fieldSelector: 'metadata.name=c' })).items), 'c');
    same(
      'by other names',
      namesOf((await api.list({ fieldSelector: 'metadata.name!=c', labelSelector: 'odd' })).items),
      'a,b,d,e',
    );
    const then = await api.list();
    await api.delete('bb');
    const { resourceVersion } = then;
    const past = await api.list({ resourceVersion, resourceVersionMatch: 'Exact' });
    same(
      'the past',
      [namesOf(past.items), past.resourceVersion],
      ['a,b,bb,c,d,e', resourceVersion],
    );
    same(
      'at least the past',
      namesOf((await api.list({ resourceVersion, resourceVersionMatch: 'NotOlderThan' })).items)
        .length > 8,
      true,
    );
    same('from a cache', (await api.get('a', { resourceVersion: '0' })).data, { text: 'a' });
    same(
      'the future',
      await statusOf(
        api.list({
          resourceVersion: String(Number(resourceVersion) + 100_000),
          resourceVersionMatch: 'NotOlderThan',
        }),
      ),
      504,
    );
  }),
  step('watch from a version, with a selector', async (user) => {
    const api = maps(user, 'lists');
    const { resourceVersion } = await api.list();
    const events: string[] = [];
    await api.patch('a', { data: { text: 'changed' } });
    await api.patch('a', { metadata: { labels: { odd: 'no' } } });
    await api.patch('b', { metadata: { labels: { odd: 'yes' } } });
    await api.patch('d', { data: { text: 'hidden' } });
    await api.delete('c');
    await api.create(map('f', 'x', { odd: 'yes' }));
    const watched = {
      resourceVersion,
      labelSelector: 'odd=yes',
      allowWatchBookmarks: false,
      timeoutSeconds: 20,
    };
    for await (const event of api.watch(watched)) {
      if (event.type === 'ADDED' || event.type === 'MODIFIED' || event.type === 'DELETED')
        events.push(`${event.type} ${event.object.metadata.name}`);
    }
    same('the events', events.join(), 'MODIFIED a,DELETED a,ADDED b,DELETED c,ADDED f');
  }),
  step('watch from the beginning', async (user) => {
    const api = maps(user, 'lists');
    const events: string[] = [];
    for await (const event of api.watch({
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
      timeoutSeconds: 20,
    })) {
      if (event.type === 'BOOKMARK') events.push('BOOKMARK');
      else if (event.type === 'ADDED') events.push(event.object.metadata.name);
      if (events.at(-1) === 'BOOKMARK' && events.filter((one) => one === 'BOOKMARK').length === 1)
        await api.create(map('g', 'x'));
    }
    same(
      'the events',
      events.filter((one, at) => one !== 'BOOKMARK' || at === 5).join(),
      'a,b,d,e,f,BOOKMARK,g',
    );
  }),
  step('delete a collection', async (user) => {
    const api = maps(user, 'lists');
    same('dry', (await api.deleteCollection({ labelSelector: 'odd=yes', dryRun: true })).length, 3);
    await api.deleteCollection({ labelSelector: 'odd=yes' });
    same('the rest', namesOf((await api.list()).items), 'a,d,g');
  }),
];

/** Waits with `wait` for what the user does. */
const waiter: SimulatedController = {
  name: 'waiter',
  run: async ({ client, runtime, signal, logger }) => {
    for (;;) {
      try {
        const api = maps(client);
        await api.wait('one', (found) => found?.data?.['text'] === 'json', {
          timeoutMs: 3_600_000,
          signal,
        });
        await api.apply({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'waited' },
          data: { done: 'yes' },
        });
        break;
      } catch (error) {
        if (signal.aborted) return;
        logger.info('once more', { error: String(error) });
        await sleep(runtime, 1000);
      }
    }
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  },
};

const world = {
  objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lists' } }],
};

/** The actions and expectations of a user of the server, and a program that waits for it. */
export const verbSimulation: SimulationOptions = {
  world,
  controllers: [waiter],
  workload: [...writes, ...reads],
};
