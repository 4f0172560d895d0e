import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { call, type Call } from './support.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** kube-apiserver --etcd-compaction-interval */
const INTERVAL_MS = 300_000;

interface Page {
  readonly code?: number;
  readonly reason?: string;
  readonly metadata: { readonly continue?: string; readonly resourceVersion?: string };
  readonly items?: readonly KubernetesObject[];
}

/** A server with its default store, three config maps, and the first page of them. */
class World {
  readonly runtime = new VirtualRuntime();
  readonly server = new ApiServer({ runtime: this.runtime });
  first: Page = { metadata: {} };

  static async run(work: (world: World) => Promise<void>): Promise<void> {
    const world = new World();
    await world.runtime.run(async () => {
      for (const name of ['a', 'b', 'c']) await world.create(name);
      world.first = await world.page('limit=2');
      await work(world);
      await world.server.close();
    });
  }

  async create(name: string): Promise<Call> {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
    return await call(this.server.handler, 'POST', MAPS, { body });
  }

  async page(query: string): Promise<Page> {
    return (await call(this.server.handler, 'GET', `${MAPS}?${query}`)).json() as unknown as Page;
  }

  async next({ metadata }: Page): Promise<Page> {
    return await this.page(`continue=${metadata.continue ?? ''}`);
  }
}

const names = ({ items = [] }: Page): unknown[] => items.map(({ metadata }) => metadata?.name);

describe('the history of a server', () => {
  it('reaches back for one interval of compaction', async () => {
    await World.run(async (world) => {
      await world.create('d');
      await sleep(world.runtime, INTERVAL_MS);
      const second = await world.next(world.first);
      expect(names(second)).to.deep.equal(['c']);
      expect(second.metadata.resourceVersion).to.equal(world.first.metadata.resourceVersion);
    });
  });

  it('ends after two: a page is refused, with a token for the rest as it is now', async () => {
    await World.run(async (world) => {
      await world.create('d');
      await sleep(world.runtime, 2 * INTERVAL_MS + 1);
      const expired = await world.next(world.first);
      expect(expired).to.include({ code: 410, reason: 'Expired' });
      const rest = await world.next(expired);
      expect(names(rest)).to.deep.equal(['c', 'd']);
    });
  });

  it('keeps the state that nothing has changed since', async () => {
    await World.run(async (world) => {
      await sleep(world.runtime, 10 * INTERVAL_MS);
      expect(names(await world.next(world.first))).to.deep.equal(['c']);
    });
  });
});
