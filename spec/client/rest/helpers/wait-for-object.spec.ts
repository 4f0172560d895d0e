import { expect } from 'chai';
import { whyHeld } from '../../../../lib/meta/held-object.ts';
import { connect } from '../../../../lib/client/rest/connect.ts';
import type { ResourceClient } from '../../../../lib/client/rest/resource-client.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../../lib/meta/object.ts';
import { VirtualRuntime } from '../../../../lib/kernel/time/virtual-runtime.ts';
import { Client } from '../../../../lib/client/rest/client.ts';
import { waitForObject } from '../../../../lib/client/rest/helpers/wait-for-object.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { failureOf, rejectionOf } from '../../support/failure-of.ts';
import { ScriptedTransport } from '../../support/scripted-transport.ts';
import { statusOf } from '../../support/status-failures.ts';

type Maps = ResourceClient<UnstructuredObject>;

async function withMaps(run: (maps: Maps, server: ApiServer) => Promise<void>): Promise<void> {
  await using server = new ApiServer();
  await server.listen();
  await using client = await connect(server.clientConfig());
  await run(
    client.resource<UnstructuredObject>('v1', 'configmaps', { namespace: 'default' }),
    server,
  );
}

const named = (name: string, color: string): UnstructuredObject => ({
  metadata: { name },
  data: { color },
});

const isColor =
  (color: string) =>
  (found: KubernetesObject | undefined): boolean =>
    (found as { readonly data?: { readonly color?: string } } | undefined)?.data?.color === color;

describe('ResourceClient.wait', () => {
  it('ends at once when the object is as wanted', async () => {
    await withMaps(async (maps) => {
      await maps.create(named('a', 'blue'));
      expect(await maps.wait('a', isColor('blue'))).to.have.nested.property('metadata.name', 'a');
      expect(await maps.wait('b', (found) => found === undefined)).to.equal(undefined);
    });
  });

  it('follows the object through its creation, changes and deletion, and sees no other', async () => {
    await withMaps(async (maps) => {
      await maps.create(named('other', 'red'));
      const red = maps.wait('a', isColor('red'));
      await maps.create(named('a', 'blue'));
      await maps.patch('a', { data: { color: 'red' } });
      expect(await red).to.have.nested.property('data.color', 'red');
      const gone = maps.wait('a', (found) => found === undefined);
      await maps.delete('a');
      expect(await gone).to.equal(undefined);
    });
  });

  it('goes on after broken connections and an expired history', async () => {
    await withMaps(async (maps, server) => {
      const red = maps.wait('a', isColor('red'));
      await maps.create(named('a', 'blue'));
      await server.closeConnections();
      await server.compact();
      await using writer = await connect(server.clientConfig());
      const others = writer.resource('v1', 'configmaps', { namespace: 'default' });
      await others.patch('a', { data: { color: 'red' } });
      expect(await red).to.have.nested.property('data.color', 'red');
    });
  });

  it('says after its time what it waited for, and the last state', async () => {
    const runtime = new VirtualRuntime();
    await runtime.run(async () => {
      const list = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '7' } };
      const item = { metadata: { name: 'a', resourceVersion: '5' } };
      const transport = new ScriptedTransport(() => ({ body: { ...list, items: [item] } }));
      const maps = new Client({ transport, runtime }).resource('v1', 'configmaps');
      const error = await failureOf(maps.wait('a', () => false, { timeoutMs: 3000 }));
      expect(error).to.include({ code: 'TIMEOUT' });
      expect(error.message).to.match(
        /^gave up after 3000 ms waiting for configmaps "a" to be as wanted; it is /,
      );
      expect(runtime.monotonicMs()).to.equal(3000);
    });
  });

  for (const [title, metadata, state] of [
    [
      'that a garbage collector has to delete what its owner leaves behind',
      { ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'web', uid: '1' }] },
      'there at resource version 5, and not being deleted; when its owner Secret "web" is gone, a garbage collector deletes it: use startCluster(), which has one, in place of an ApiServer alone',
    ],
    [
      'that a garbage collector has to remove the finalizer of a deletion in the foreground',
      { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] },
      'there at resource version 5, and being deleted: a garbage collector removes its finalizer foregroundDeletion; use startCluster(), which has one, in place of an ApiServer alone',
    ],
    [
      'which finalizers keep it',
      { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['example.com/a', 'example.com/b'] },
      'there at resource version 5, and being deleted; its finalizers are example.com/a, example.com/b',
    ],
    ['that it is not being deleted', {}, 'there at resource version 5, and not being deleted'],
  ] as const) {
    it(`says of an object whose absence is awaited ${title}`, async () => {
      const runtime = new VirtualRuntime();
      await runtime.run(async () => {
        const item = { metadata: { name: 'a', resourceVersion: '5', ...metadata } };
        const resource = {
          list: () => Promise.resolve({ items: [item], resourceVersion: '7' }),
          watch: () => ({
            [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
          }),
        } as unknown as Parameters<typeof waitForObject>[0];
        const wanted = {
          name: 'a',
          what: 'configmaps "a"',
          is: (found: unknown) => found === undefined,
          runtime,
        };
        const error = await failureOf(waitForObject(resource, wanted, { timeoutMs: 10 }));
        expect(error.message).to.equal(
          `gave up after 10 ms waiting for configmaps "a" to be as wanted; it is ${state}`,
        );
      });
    });
  }

  it('says of a deleted namespace that a controller has to empty it', () => {
    const metadata = { name: 'shop', deletionTimestamp: '2030-01-01T00:00:00Z' };
    const namespace = { kind: 'Namespace', metadata, spec: { finalizers: ['kubernetes'] } };
    expect(whyHeld(namespace)).to.equal(
      ', and being deleted: the namespace controller empties it first; use startCluster(), which has one, in place of an ApiServer alone',
    );
  });

  it('says the last state that its watch has brought', async () => {
    const runtime = new VirtualRuntime();
    const metadata = { name: 'a', resourceVersion: '8', deletionTimestamp: '2030-01-01T00:00:00Z' };
    const present = { metadata: { name: 'a', resourceVersion: '5' } };
    for (const [event, state] of [
      [
        { type: 'MODIFIED', object: { metadata } },
        'there at resource version 8, and being deleted',
      ],
      [{ type: 'DELETED', object: { metadata } }, 'not there'],
    ] as const) {
      const resource = {
        list: () => Promise.resolve({ items: [present], resourceVersion: '5' }),
        async *watch(): AsyncGenerator<typeof event> {
          yield event;
          await new Promise(() => {});
        },
      } as unknown as Parameters<typeof waitForObject>[0];
      const wanted = { name: 'a', what: 'configmaps "a"', is: () => false, runtime };
      const error = await runtime.run(
        failureOf(waitForObject(resource, wanted, { timeoutMs: 3000 })),
      );
      expect(error.message).to.include(`to be as wanted; it is ${state}`);
    }
  });

  it('ends with the failure of a condition, of the access and of its signal', async () => {
    await withMaps(async (maps) => {
      const boom = new Error('boom');
      const thrown = maps.wait('a', () => {
        throw boom;
      });
      expect(await rejectionOf(thrown)).to.equal(boom);
      const signal = AbortSignal.abort(boom);
      expect(await rejectionOf(maps.wait('a', () => false, { signal }))).to.equal(boom);
    });
    const transport = new ScriptedTransport(() => ({
      status: 403,
      body: statusOf('Forbidden', 403),
    }));
    const maps = new Client({ transport }).resource('v1', 'configmaps');
    expect(await failureOf(maps.wait('a', () => false))).to.include({ code: 'FORBIDDEN' });
  });
});
