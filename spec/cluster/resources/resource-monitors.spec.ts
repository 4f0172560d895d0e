import { expect } from 'chai';
import type { ApiResource } from '../../../lib/client/rest/discovery/api-resource.ts';
import { DiscoveredResources } from '../../../lib/cluster/resources/discovered-resources.ts';
import { ResourceMonitors } from '../../../lib/cluster/resources/resource-monitors.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { VirtualClusterWorld } from '../support/virtual-cluster-world.ts';

const logger = silentLogger;
const TIMEOUT_MS = 10_000;

/** The resources that the server serves, set by a spec. */
class ChosenResources extends DiscoveredResources {
  #listener: (all: readonly ApiResource[]) => void = () => {};

  override onChange(listener: (all: readonly ApiResource[]) => void): void {
    this.#listener = listener;
  }

  serve(...all: readonly ApiResource[]): void {
    this.#listener(all);
  }
}

describe('ResourceMonitors', () => {
  async function run(
    work: (world: VirtualClusterWorld, notified: string[], parts: Parts) => Promise<void>,
  ): Promise<void> {
    await VirtualClusterWorld.run(
      async (world) => {
        const { client, runtime } = world;
        const notified: string[] = [];
        const served = new ChosenResources(client, { runtime, logger });
        const handler = {
          present: (_resource: ApiResource, { name = '' }) => void notified.push(`present ${name}`),
          gone: (_resource: ApiResource, { name = '' }) => void notified.push(`gone ${name}`),
          unserved: (_resource: ApiResource, { name = '' }) =>
            void notified.push(`unserved ${name}`),
        };
        await using monitors = new ResourceMonitors({ client, served, runtime, logger });
        monitors.addHandler(handler);
        monitors.start();
        const maps = await client.discovery.find('v1', 'ConfigMap');
        await world.map('web');
        served.serve(maps);
        await monitors.whenSynced(TIMEOUT_MS, new AbortController().signal);
        await work(world, notified, { served, maps });
      },
      { controllers: 'none' },
    );
  }

  it('report which objects were not deleted when their resource has left', async () => {
    await run(async (world, notified, { served }) => {
      served.serve();
      expect(notified).to.deep.equal(['present web']);
      await world.until('it is notified', () => Promise.resolve(notified.length > 1));
      expect(notified).to.deep.equal(['present web', 'unserved web']);
    });
  });

  it('report deletions that come after the resource has left', async () => {
    await run(async (world, notified, { served }) => {
      served.serve();
      await world.maps().delete('web');
      await world.sleep(TIMEOUT_MS);
      expect(notified).to.deep.equal(['present web', 'gone web']);
    });
  });

  it('take no object for unserved whose resource has come back', async () => {
    await run(async (world, notified, { served, maps }) => {
      served.serve();
      await world.sleep(1000);
      served.serve(maps);
      await world.sleep(TIMEOUT_MS);
      expect(notified).to.deep.equal(['present web', 'present web']);
    });
  });
});

interface Parts {
  readonly served: ChosenResources;
  readonly maps: ApiResource;
}
