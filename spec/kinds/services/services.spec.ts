import { expect } from 'chai';
import { tableConvertorOf } from '../../../lib/server/api/verbs/shape.ts';
import { recordAt, recordsAt, textAt, valueAt } from '../../../lib/meta/json-value.ts';
import { RegistryHarness, rejection } from '../../server/registry/support/registry-harness.ts';

function service(name: string, spec: object = {}): object {
  return { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

describe('services', () => {
  let harness: RegistryHarness;

  beforeEach(async () => {
    harness = await RegistryHarness.start();
  });

  afterEach(async () => {
    await harness[Symbol.asyncDispose]();
  });

  it('get an address of their own and the defaults of their ports', async () => {
    const made = await harness.create('services', service('web'));
    expect(textAt(made, 'spec', 'clusterIP')).to.match(/^10\.(?:9[6-9]|10[0-9]|11[01])\.\d+\.\d+$/);
    expect(valueAt(made, 'spec', 'clusterIPs')).to.deep.equal([textAt(made, 'spec', 'clusterIP')]);
    expect(recordsAt(made, 'spec', 'ports')).to.deep.equal([
      { port: 80, protocol: 'TCP', targetPort: 80 },
    ]);
    expect(made['spec']).to.deep.include({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
    });
  });

  it('aim at their own port when the target is empty or 0, which is how typed clients leave it out', async () => {
    const ports = [
      { name: 'a', port: 80, targetPort: 0 },
      { name: 'b', port: 81, targetPort: '' },
      { name: 'c', port: 82, targetPort: 'http' },
    ];
    const made = await harness.create('services', service('web', { ports }));
    const targets = recordsAt(made, 'spec', 'ports').map(({ targetPort }) => targetPort);
    expect(targets).to.deep.equal([80, 81, 'http']);
  });

  it('stick to a client for three hours when asked to stick at all', async () => {
    const made = await harness.create('services', service('web', { sessionAffinity: 'ClientIP' }));
    expect(valueAt(made, 'spec', 'sessionAffinityConfig')).to.deep.equal({
      clientIP: { timeoutSeconds: 10_800 },
    });
  });

  it('never share an address, and give it back', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `s${index}`);
    const services = harness.rest('services');
    const made = await harness.drive(
      Promise.all(
        names.map((name) => services.create(harness.context(), service(name) as never, {})),
      ),
    );
    const addresses = made.map(({ object }) => textAt(object, 'spec', 'clusterIP'));
    expect(new Set(addresses).size).to.equal(300);
    await harness.drive(services.delete(harness.context(), 's7', {}));
    const again = await harness.create('services', service('other', { clusterIP: addresses[7] }));
    expect(textAt(again, 'spec', 'clusterIP')).to.equal(addresses[7]);
  });

  it('cannot ask for an address that is taken or out of range', async () => {
    const made = await harness.create('services', service('web'));
    for (const [clusterIP, problem] of [
      [textAt(made, 'spec', 'clusterIP'), 'provided IP is already allocated'],
      ['192.168.0.1', 'the provided network does not match the current range'],
      ['x', 'must be a valid IP address'],
    ] as const) {
      const error = await rejection(harness.create('services', service('b', { clusterIP })));
      expect(error).to.include({ code: 'INVALID' });
      expect(error.message).to.contain(problem);
    }
  });

  it('give an address back when their creation fails', async () => {
    await harness.create('services', service('web'));
    const clusterIP = '10.96.7.7';
    const failing = harness.create('services', service('web', { clusterIP }));
    expect(await rejection(failing)).to.include({ code: 'ALREADY_EXISTS' });
    const made = await harness.create('services', service('b', { clusterIP }));
    expect(textAt(made, 'spec', 'clusterIP')).to.equal(clusterIP);
  });

  it('learn what is taken from the services an earlier process left', async () => {
    const made = await harness.create('services', service('web'));
    const next = harness.newRegistry();
    await harness.drive(next.start());
    const clusterIP = textAt(made, 'spec', 'clusterIP');
    const creating = next.lookup('', 'v1', 'services')!.main.create!(
      harness.context(),
      service('b', { clusterIP }) as never,
      {},
    );
    expect(await rejection(harness.drive(creating))).to.include({ code: 'INVALID' });
    await harness.drive(next.close());
  });

  it('keep address and node ports over an update that does not name them', async () => {
    const made = await harness.create('services', service('web', { type: 'NodePort' }));
    const nodePort = recordsAt(made, 'spec', 'ports')[0]?.['nodePort'] as number;
    expect(nodePort).to.be.within(30_000, 32_767);
    const updated = await harness.update(
      'services',
      'web',
      () => service('web', { type: 'NodePort', selector: { a: 'b' } }) as never,
    );
    expect(textAt(updated, 'spec', 'clusterIP')).to.equal(textAt(made, 'spec', 'clusterIP'));
    expect(recordsAt(updated, 'spec', 'ports')[0]?.['nodePort']).to.equal(nodePort);
    const internal = await harness.update('services', 'web', (existing) => ({
      ...existing,
      spec: { ...recordAt(existing, 'spec'), type: 'ClusterIP' },
    }));
    expect(recordsAt(internal, 'spec', 'ports')[0]).not.to.have.property('nodePort');
    const free = await harness.create(
      'services',
      service('b', { type: 'NodePort', ports: [{ port: 80, nodePort }] }),
    );
    expect(recordsAt(free, 'spec', 'ports')[0]?.['nodePort']).to.equal(nodePort);
  });

  it('keep address and node ports over an update of the status, which has the stored spec', async () => {
    const made = await harness.create('services', service('web', { type: 'LoadBalancer' }));
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP' }] } };
    const updated = await harness.update('/v1/services/status', 'web', () => ({ ...made, status }));
    expect(updated['status']).to.deep.equal(status);
    expect(updated['spec']).to.deep.equal(made['spec']);
  });

  it('keep their address', async () => {
    await harness.create('services', service('web'));
    const changing = harness.update(
      'services',
      'web',
      () => service('web', { clusterIP: '10.96.1.1' }) as never,
    );
    expect(await rejection(changing)).to.include({ code: 'INVALID' });
  });

  it('have none when headless or external', async () => {
    const headless = await harness.create(
      'services',
      service('h', { clusterIP: 'None', ports: undefined }),
    );
    expect(headless['spec']).to.deep.include({ clusterIP: 'None', clusterIPs: ['None'] });
    const external = await harness.create(
      'services',
      service('e', { type: 'ExternalName', externalName: 'example.org', ports: undefined }),
    );
    expect(external['spec']).not.to.have.property('clusterIP');
  });

  it('show type, addresses and ports', async () => {
    const made = await harness.create(
      'services',
      service('web', { type: 'LoadBalancer', selector: { b: '2', a: '1' } }),
    );
    const table = tableConvertorOf(harness.rest('services'));
    const cells = table.cells(made, harness.runtime.wallMs());
    const nodePort = String(recordsAt(made, 'spec', 'ports')[0]?.['nodePort']);
    expect(cells).to.deep.equal([
      'web',
      'LoadBalancer',
      textAt(made, 'spec', 'clusterIP'),
      '<pending>',
      `80:${nodePort}/TCP`,
      '0s',
      'a=1,b=2',
    ]);
  });

  for (const [title, spec, field] of [
    ['no ports', { ports: [] }, 'spec.ports'],
    ['a port out of range', { ports: [{ port: 70_000 }] }, 'spec.ports[0].port'],
    ['several ports without names', { ports: [{ port: 1 }, { port: 2 }] }, 'spec.ports[0].name'],
    [
      'one port twice',
      {
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 1 },
        ],
      },
      'spec.ports[1]',
    ],
    ['an unknown type', { type: 'Magic' }, 'spec.type'],
    ['an external name that is missing', { type: 'ExternalName' }, 'spec.externalName'],
  ] as const) {
    it(`are refused with ${title}`, async () => {
      const error = await rejection(harness.create('services', service('web', spec)));
      expect(error.causes.map((cause) => cause.field)).to.include(field);
    });
  }
});
