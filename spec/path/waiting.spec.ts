import { expect } from 'chai';
import type { AuditReport } from '../../lib/cache/informer/audit/audit-report.ts';
import { SharedInformerFactory } from '../../lib/cache/informer/factory/shared-informer-factory.ts';
import { RetryWatcher } from '../../lib/cache/wait/retry-watcher.ts';
import { until } from '../../lib/cache/wait/until.ts';
import type { Client } from '../../lib/client/rest/client.ts';
import { connect } from '../../lib/client/rest/connect.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import type { KubernetesObject } from '../../lib/meta/object.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { HANG_MS } from '../support/until.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

const TIMEOUT = { timeoutMs: HANG_MS };

describe('waiting, following and auditing over HTTP', () => {
  let server: ApiServer;
  let client: Client;
  let informers: SharedInformerFactory;

  beforeEach(async () => {
    server = new ApiServer();
    await server.listen();
    client = await connect(server.clientConfig());
    informers = new SharedInformerFactory(client, {
      backoff: { baseMs: 1, capMs: 5 },
      logger: silentLogger,
    });
  });

  afterEach(async () => {
    await informers.close();
    await client.close();
    await server.close();
  });

  const configMaps = (namespace: string = 'default') =>
    client.resource<ConfigMap>('v1', 'configmaps', { namespace });
  const configMap = (name: string, tier: string = 'web'): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { tier } },
    data: { from: 'spec' },
  });

  it('waits for an object to come, to change and to go', async () => {
    const informer = informers.for<ConfigMap>('v1', 'configmaps');
    const there = until(informer, { name: 'one', ...TIMEOUT });
    const changed = until(informer, {
      name: 'one',
      namespace: 'default',
      is: ({ data }) => data?.['changed'] === 'yes',
      ...TIMEOUT,
    });
    informers.start();
    const created = await configMaps().create(configMap('one'));
    expect(await there).to.deep.equal(created);
    await configMaps().patch('one', { data: { changed: 'yes' } });
    expect((await changed).data).to.deep.equal({ from: 'spec', changed: 'yes' });
    const gone = until(informer, { name: 'one', gone: true, ...TIMEOUT });
    await configMaps().delete('one');
    await gone;
    expect(informer.indexer.size).to.equal(0);
  });

  it('follows an informer through lost connections', async () => {
    await configMaps().create(configMap('a'));
    const informer = informers.for<ConfigMap>('v1', 'configmaps', { namespace: 'default' });
    informers.start();
    const seen: string[] = [];
    for await (const change of informer.changes({ markSynced: true })) {
      if (change.type === 'synced') {
        seen.push('synced');
        await server.closeConnections();
        await configMaps().create(configMap('b'));
        await configMaps().delete('a');
        continue;
      }
      seen.push(`${change.type} ${change.key}`);
      if (change.type === 'delete') break;
    }
    expect(seen).to.deep.equal(['add default/a', 'synced', 'add default/b', 'delete default/a']);
  });

  it('follows events without a cache, and ends when history is gone', async () => {
    const listerWatcher = client.listerWatcher<ConfigMap>(
      { apiVersion: 'v1', resource: 'configmaps' },
      { namespace: 'default' },
    );
    const { resourceVersion } = await listerWatcher.list({});
    await configMaps().create(configMap('a'));
    await configMaps().delete('a');
    const deletion = await until(listerWatcher, ({ type }) => type === 'DELETED', {
      resourceVersion,
      ...TIMEOUT,
    });
    expect(deletion.object.metadata.name).to.equal('a');
    await configMaps().create(configMap('b'));
    await server.compact();
    await using watcher = new RetryWatcher({ listerWatcher, resourceVersion });
    const error = await until(watcher, () => true, TIMEOUT).then(
      () => undefined,
      (reason: unknown) => reason as { code: string },
    );
    expect(error?.code).to.equal('EXPIRED');
  });

  it('audits caches at one version while writers never pause, selectors and namespaces included', async () => {
    const collections = [
      {},
      { namespace: 'default' },
      { labelSelector: 'tier=web' },
      { namespace: 'kube-system', labelSelector: 'tier!=web' },
    ].map((options) => informers.for<ConfigMap>('v1', 'configmaps', options));
    for (let number = 0; number < 45; number += 1) {
      await configMaps('default').create(configMap(`steady-${number}`, 'web'));
    }
    informers.start();
    const stop = new AbortController();
    let writes = 0;
    const writer = async (number: number): Promise<void> => {
      const api = configMaps(number % 2 === 0 ? 'default' : 'kube-system');
      for (let round = 0; !stop.signal.aborted; round += 1) {
        const name = `writer-${number}-${round % 30}`;
        await api.create(configMap(name, round % 3 === 0 ? 'web' : 'data'));
        await api.patch(name, { metadata: { labels: { tier: round % 2 === 0 ? 'web' : 'data' } } });
        if (round >= 20) await api.delete(`writer-${number}-${(round - 20) % 30}`);
        writes += 3;
      }
    };
    const writers = Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
    const reports: AuditReport[] = [];
    try {
      for (let round = 0; round < 5; round += 1) {
        const audits = collections.map((informer) =>
          informer.audit({ pageSize: 20, deep: round % 2 === 0, ...TIMEOUT }),
        );
        reports.push(...(await Promise.all(audits)));
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    } finally {
      stop.abort();
      await writers;
    }
    expect(writes).to.be.greaterThan(50);
    for (const report of reports) {
      expect(report, JSON.stringify(report)).to.include({ consistent: true, comparison: 'exact' });
    }
    expect(reports.some(({ objects }) => objects > 40)).to.equal(true);
    const versions = new Set(reports.map(({ resourceVersion }) => resourceVersion));
    expect(versions.size, 'the state moved on').to.be.greaterThan(3);
  });
});
