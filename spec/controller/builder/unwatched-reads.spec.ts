import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import type { Transport } from '../../../lib/client/transport/contract/transport.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import { ControllerWorld } from './controller-world.ts';

describe('a read of a resource that a controller does not watch', () => {
  it('is refused by name, and starts no informer', async () => {
    const world = new ControllerWorld();
    const inner = inProcessTransport(world.server.handler);
    const asked: string[] = [];
    const transport: Transport = {
      server: inner.server,
      send: (request) => {
        asked.push(request.path);
        return inner.send(request);
      },
      close: () => inner.close(),
    };
    const client = new Client({ transport, runtime: world.runtime });
    const refusals: string[] = [];
    const one = controller(client, 'v1', 'configmaps', world.options)
      .watches('v1', 'services', () => undefined)
      .reconcile(async (_object, { lister, byIndex, owned }) => {
        for (const read of [
          () => lister('v1', 'secrets'),
          () => byIndex('v1', 'secrets', 'namespace', 'default'),
          () => owned('v1', 'secrets'),
          () => owned('v1', 'services'),
        ]) {
          try {
            read();
            refusals.push('none');
          } catch (error) {
            refusals.push((error as Error).message.replace(/: declare it.*$/, ''));
          }
        }
        expect(lister('v1', 'services').namespace('default').list()).to.deep.equal([]);
      });
    await world.start(one);
    const maps = world.user.resource('v1', 'configmaps', { namespace: 'default' });
    await world.after(maps.create({ metadata: { name: 'shop' } }));
    expect(refusals.slice(0, 4)).to.deep.equal([
      'configmaps does not watch v1/secrets',
      'configmaps does not watch v1/secrets',
      'configmaps does not watch v1/secrets',
      'owned: configmaps does not own v1/services',
    ]);
    expect(asked.some((path) => path.includes('/services'))).to.equal(true);
    expect(asked.filter((path) => path.includes('/secrets'))).to.deep.equal([]);
    await world.stop();
    await client.close();
  });
});
