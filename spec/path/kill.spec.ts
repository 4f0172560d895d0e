import { expect } from 'chai';
import { SharedIndexInformer } from '../../lib/cache/informer/shared-index-informer.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { realRuntime } from '../../lib/kernel/time/real-runtime.ts';
import { seededRandom } from '../../lib/kernel/time/random.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { KillingProxy } from './support/killing-proxy.ts';
import { Observer, type Change, type History } from './support/observer.ts';
import { HANG_MS, until } from '../support/until.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

const KILLS = 80;
/** From inside the response headers to a few dozen events. */
const LARGEST_BUDGET = 6000;
const KEYS = 40;
/** Writes while no watch is open; more of them would fill the backlog of the slow handler, which merges changes then. */
const MOST_WRITES_UNSEEN = 16;

describe('a watch that is killed at random bytes', () => {
  const seed = process.env['LISTWATCH_SEED'] ?? '20260101';

  it(`loses, repeats and reorders nothing over ${KILLS} kills (LISTWATCH_SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    await using server = new ApiServer();
    await server.listen();
    await using writer = await connect(server.clientConfig());
    let killing = false;
    await using proxy = new KillingProxy({
      targetPort: Number(new URL(server.url).port),
      nextBudget: () =>
        killing && proxy.kills < KILLS ? 1 + Math.floor(random() * LARGEST_BUDGET) : undefined,
    });
    const port = await proxy.listen();
    const { token } = server.clientConfig();
    await using reader = await connect({ server: `http://127.0.0.1:${port}`, token });

    await using informer = new SharedIndexInformer<ConfigMap>({
      listerWatcher: reader.listerWatcher<ConfigMap>(
        { apiVersion: 'v1', resource: 'configmaps' },
        { namespace: 'default' },
      ),
      // So many waits of client-go's length would take half an hour.
      backoff: { baseMs: 1, capMs: 5 },
      logger: silentLogger,
    });
    const observers = [
      new Observer('whole objects'),
      new Observer('keys only'),
      new Observer('slow'),
    ];
    informer.addHandler(observers[0]!.objectHandler());
    informer.addHandler(observers[1]!.metadataHandler());
    informer.addHandler(observers[2]!.slowHandler(realRuntime));
    let relists = 0;
    informer.events.on('relist', () => (relists += 1));
    const running = informer.run();
    await informer.whenSynced({ timeoutMs: HANG_MS });
    // The first list is whole; from here on no connection lives long, and every change needs a notification.
    killing = true;
    proxy.cut();

    const configMaps = writer.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
    const history: History = [];
    const alive = new Map<string, ConfigMap>();
    const record = (type: Change['type'], object: ConfigMap): void => {
      const { name, resourceVersion } = object.metadata!;
      history.push({ type, key: `default/${name}`, resourceVersion: resourceVersion! });
    };
    let writesOfKill = 0;
    let kills = proxy.kills;
    while (proxy.kills < KILLS) {
      if (proxy.kills > kills) writesOfKill = 0;
      kills = proxy.kills;
      writesOfKill += 1;
      if (writesOfKill > MOST_WRITES_UNSEEN) {
        const before = kills;
        const isBack = (): boolean => informer.inspect().connected || proxy.kills > before;
        await until('the watch is open again', isBack);
      }
      const name = `map-${Math.floor(random() * KEYS)}`;
      const present = alive.get(name);
      const data = {
        text: 'é√😀'.repeat(1 + Math.floor(random() * 30)),
        at: String(history.length),
      };
      if (present === undefined) {
        const created = await configMaps.create({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name },
          data,
        });
        alive.set(name, created);
        record('add', created);
      } else if (random() < 0.3) {
        await configMaps.delete(name);
        alive.delete(name);
        // The answer of a deletion carries no resource version; the observers have it.
        history.push({ type: 'delete', key: `default/${name}`, resourceVersion: undefined });
      } else {
        const updated = await configMaps.update({ ...present, data });
        alive.set(name, updated);
        record('update', updated);
      }
    }

    const isCaughtUp = (): boolean =>
      informer.synced &&
      informer.indexer.keys().length === alive.size &&
      [...alive.values()].every((object) => {
        const cached = informer.indexer.get(`default/${object.metadata!.name}`);
        return cached?.metadata?.resourceVersion === object.metadata!.resourceVersion;
      });
    await until('the cache has caught up', isCaughtUp);
    await until('every handler has caught up', () => observers.every((one) => one.matches(alive)));

    console.log(
      `      ${proxy.kills} kills, ${history.length} writes, ${relists} relists, ${observers[0]!.seen.length} events notified`,
    );
    expect(proxy.kills).to.be.at.least(KILLS);
    const listed = await configMaps.list();
    const cached = [...informer.indexer.list()].toSorted(byName);
    expect(cached).to.deep.equal([...listed.items].toSorted(byName));
    for (const observer of observers) {
      expect(observer.violations(history, { exact: relists === 0 })).to.deep.equal([]);
    }
    await informer.close();
    await running;
  });
});

function byName(left: KubernetesObject, right: KubernetesObject): number {
  return left.metadata!.name! < right.metadata!.name! ? -1 : 1;
}
