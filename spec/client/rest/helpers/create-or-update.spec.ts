import { expect } from 'chai';
import { connect } from '../../../../lib/client/rest/connect.ts';
import { retryOnConflict } from '../../../../lib/client/rest/helpers/retry-on-conflict.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import type { KubernetesObject } from '../../../../lib/meta/object.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { failureOf } from '../../support/failure-of.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>;
}

async function withMaps(run: (maps: ResourceClient<ConfigMap>) => Promise<void>): Promise<void> {
  await using server = new ApiServer();
  await server.listen();
  await using client = await connect(server.clientConfig());
  await run(client.resource<ConfigMap>('v1', 'configmaps', { namespace: 'default' }));
}

const named = (name: string, data: Record<string, string>): ConfigMap => ({
  metadata: { name },
  data,
});

describe('ResourceClient.createOrUpdate', () => {
  it('creates, updates, and leaves alone what is as wanted', async () => {
    await withMaps(async (maps) => {
      const want = (color: string) =>
        maps.createOrUpdate('web', (stored) => ({ ...stored, ...named('web', { color }) }));
      const results = [];
      for (const color of ['blue', 'blue', 'red']) results.push(await want(color));
      expect(results.map(({ result }) => result)).to.deep.equal([
        'created',
        'unchanged',
        'updated',
      ]);
      const versions = results.map(({ object }) => object.metadata?.resourceVersion);
      expect(versions[1]).to.equal(versions[0]);
      expect((await maps.get('web')).data).to.deep.equal({ color: 'red' });
    });
  });

  it('starts over from the new state after a conflict', async () => {
    await withMaps(async (maps) => {
      await maps.create(named('web', { a: '1' }));
      let calls = 0;
      const { object } = await maps.createOrUpdate('web', async (stored) => {
        calls += 1;
        if (calls === 1) await maps.patch('web', { data: { b: '2' } });
        return { ...stored, metadata: { name: 'web' }, data: { ...stored?.data, c: '3' } };
      });
      expect([calls, object.data]).to.deep.equal([2, { a: '1', b: '2', c: '3' }]);
    });
  });

  it('starts over when another client has created the object meanwhile', async () => {
    await withMaps(async (maps) => {
      const seen: unknown[] = [];
      const { result } = await maps.createOrUpdate('web', async (stored) => {
        seen.push(stored?.data);
        if (stored === undefined) await maps.create(named('web', { a: '1' }));
        return { ...stored, ...named('web', { a: '2' }) };
      });
      expect([result, seen]).to.deep.equal(['updated', [undefined, { a: '1' }]]);
    });
  });

  it('refuses a change that returns another object', async () => {
    await withMaps(async (maps) => {
      const error = await failureOf(maps.createOrUpdate('web', () => named('other', {})));
      expect(error).to.include({ code: 'INVALID_OPTION' });
      expect(String(error)).to.contain('returned an object with the name "other"');
    });
  });
});

describe('retryOnConflict', () => {
  it('runs the work again after a conflict, and after nothing else', async () => {
    await withMaps(async (maps) => {
      await maps.create(named('web', { a: '1' }));
      const old = await maps.get('web');
      await maps.patch('web', { data: { b: '2' } });
      let tries = 0;
      await retryOnConflict(async () => {
        tries += 1;
        await maps.update(tries < 3 ? old : await maps.get('web'));
      });
      expect(tries).to.equal(3);
      const error = await failureOf(
        retryOnConflict(() => {
          tries += 1;
          return maps.get('none');
        }),
      );
      expect([tries, error]).to.have.nested.property('[1].code', 'NOT_FOUND');
      expect(tries).to.equal(4);
    });
  });

  it('gives up after its attempts', async () => {
    await withMaps(async (maps) => {
      const old = await maps.create(named('web', { a: '1' }));
      await maps.patch('web', { data: { b: '2' } });
      let tries = 0;
      const work = (): Promise<unknown> => {
        tries += 1;
        return maps.update(old);
      };
      expect(await failureOf(retryOnConflict(work, { attempts: 2 }))).to.include({
        code: 'CONFLICT',
      });
      expect(tries).to.equal(2);
      expect(await failureOf(retryOnConflict(work, { attempts: 0 }))).to.include({
        code: 'INVALID_OPTION',
      });
    });
  });
});
