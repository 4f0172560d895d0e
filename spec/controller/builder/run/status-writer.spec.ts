import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import type { Transport } from '../../../../lib/client/transport/contract/transport.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import { ControllerWorld, site, SITES, type Site } from '../controller-world.ts';

describe('StatusWriter', () => {
  it('sends a returned status and conditions that differ, and nothing when they are there', async () => {
    const world = new ControllerWorld();
    const inner = inProcessTransport(world.server.handler);
    const sent: string[] = [];
    const transport: Transport = {
      server: inner.server,
      send: (request) => {
        if (request.method !== 'GET') sent.push(`${request.method} ${request.path}`);
        return inner.send(request);
      },
      close: () => inner.close(),
    };
    const client = new Client({ transport, runtime: world.runtime });
    await world.runtime.run(world.user.applyAll([SITES]));
    const sites = world.user.resource<Site>('example.com/v1', 'sites', { namespace: 'default' });
    await world.after(sites.create(site('a')));
    let runs = 0;
    await world.start(
      controller<Site>(client, 'example.com/v1', 'sites', world.options).reconcile(
        async ({ spec }) => {
          runs += 1;
          const conditions = [{ type: 'Ready', status: 'True', reason: 'Host' }] as const;
          return { status: { serves: spec.host }, conditions };
        },
      ),
    );
    const status = 'PATCH /apis/example.com/v1/namespaces/default/sites/a/status';
    expect(sent).to.deep.equal([status]);

    for (const label of ['one', 'two', 'three']) {
      await world.after(sites.patch('a', { metadata: { labels: { label } } }));
    }
    expect(runs).to.equal(4);
    expect(sent).to.deep.equal([status]);

    await world.after(sites.patch('a', { spec: { host: 'other' } }));
    expect(sent).to.deep.equal([status, status]);
    expect((await world.after(sites.get('a'))).status?.serves).to.equal('other');
    await world.stop();
    await client.close();
  });
});
