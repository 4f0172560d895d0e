import { map, maps, outcome, type Thing, type VerbCase, type World } from '../verb-case.ts';

const seven = async (world: World, app: string): Promise<void> => {
  for (let index = 0; index < 7; index += 1) {
    await maps(world).create(map(`${app}-${index}`, { a: '1' }, { labels: { app } }));
  }
};

const namesOf = (items: readonly Thing[]): string[] => items.map((one) => one.metadata.name);

export const reading: readonly VerbCase[] = [
  {
    title: 'get',
    run: async (world) => {
      await maps(world).create(map('get'));
      const own = await maps(world).get('get');
      return [own, await maps(world).get('get', { resourceVersion: '0' })];
    },
  },
  {
    title: 'get: what is not there',
    run: async (world) => [
      await outcome(maps(world).get('missing')),
      await outcome(world.client.resource<Thing>('v1', 'configmap', { namespace: 'x' }).get('a')),
      await outcome(world.client.resource<Thing>('apps/v9', 'deployments').list()),
      await outcome(maps(world).get('')),
    ],
  },
  {
    title: 'list with pages, pager',
    run: async (world) => {
      await seven(world, 'pages');
      const labelSelector = 'app=pages';
      const first = await maps(world).list({ labelSelector, limit: 3 });
      const { continueToken } = first;
      const second = await maps(world).list({ labelSelector, limit: 3, continueToken });
      const all = await maps(world).listAll({ labelSelector, limit: 2 });
      const iterated: string[] = [];
      for await (const one of maps(world).items({ labelSelector, limit: 2, prefetchPages: 1 })) {
        iterated.push(one.metadata.name);
      }
      const pages = [first, second, all].map((page) => namesOf(page.items));
      return { pages, iterated, same: first.resourceVersion === second.resourceVersion };
    },
  },
  {
    title: 'list with selectors',
    run: async (world) => {
      await seven(world, 'chosen');
      const list = async (options: object): Promise<string[]> =>
        namesOf((await maps(world).list(options)).items);
      return [
        await list({ labelSelector: 'app in (chosen)', fieldSelector: 'metadata.name=chosen-3' }),
        await list({ labelSelector: 'app=chosen,!app' }),
        await outcome(list({ fieldSelector: 'data.a=1' })),
        await outcome(list({ labelSelector: 'app=' + 'x'.repeat(70) })),
        await outcome(list({ continueToken: 'x' })),
      ];
    },
  },
  {
    title: 'watch',
    run: async (world) => {
      const { resourceVersion } = await maps(world).list();
      const made = await maps(world).create(map('watched'));
      await maps(world).update({ ...made, data: { a: '2' } });
      await maps(world).delete('watched');
      const seen: unknown[] = [];
      const fieldSelector = 'metadata.name=watched';
      for await (const event of maps(world).watch({ resourceVersion, fieldSelector })) {
        seen.push(event);
        if (event.type === 'DELETED') break;
      }
      return seen;
    },
  },
  {
    title: 'watch with initial events',
    run: async (world) => {
      await seven(world, 'initial');
      const seen: string[] = [];
      for await (const event of maps(world).watch({
        labelSelector: 'app=initial',
        sendInitialEvents: true,
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: true,
      })) {
        seen.push(event.type === 'BOOKMARK' ? event.type : event.object.metadata.name);
        if (event.type === 'BOOKMARK') break;
      }
      return seen;
    },
  },
];
