import { expect } from 'chai';
import { Client } from '../../../../lib/client/rest/client.ts';
import { controller } from '../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerBuilder } from '../../../../lib/controller/builder/controller-builder.ts';
import { sleep } from '../../../../lib/kernel/time/wait.ts';
import { inProcessTransport } from '../../../../lib/client/transport/in-process/in-process-transport.ts';
import { ControllerWorld, site, SITES, type Site } from '../controller-world.ts';

const NAME = 'example.com/dns';

describe('a finalizer of a controller', () => {
  let world: ControllerWorld;
  /** The events, in order. */
  let events: string[];

  beforeEach(async () => {
    world = new ControllerWorld();
    events = [];
    await world.runtime.run(world.user.applyAll([SITES]));
  });

  afterEach(async () => {
    await world.stop();
  });

  const sites = () =>
    world.user.resource<Site>('example.com/v1', 'sites', { namespace: 'default' });
  const controllerOfSites = (): ControllerBuilder<Site> =>
    controller<Site>(world.client, 'example.com/v1', 'sites', world.options);
  const finalizers = async (): Promise<readonly string[] | undefined> =>
    (await world.after(sites().get('a'))).metadata.finalizers;
  const note = (text: string) => async (): Promise<void> => {
    events.push(text);
  };

  it('is there before the first reconcile, and its cleanup runs in place of a reconcile', async () => {
    await world.after(sites().create(site('a')));
    await world.start(
      controllerOfSites()
        .finalizer(NAME, async ({ metadata, spec }) => {
          expect(metadata.deletionTimestamp).to.be.a('string');
          events.push(`clean ${spec.host}`);
        })
        .reconcile(async ({ metadata }) => {
          events.push(`reconcile ${metadata.finalizers?.join()}`);
        }),
    );
    expect(events).to.deep.equal([`reconcile ${NAME}`]);
    await world.after(sites().delete('a'));
    expect(events.slice(1)).to.deep.equal(['clean a.example.com']);
    expect(
      await world.after(
        sites()
          .get('a')
          .catch((error) => error.code),
      ),
    ).to.equal('NOT_FOUND');
    expect(world.log).to.deep.equal([]);
  });

  it('leaves the finalizers of others, and waits for none of them', async () => {
    const metadata = { name: 'a', finalizers: ['example.org/other'] };
    await world.after(sites().create({ ...site('a'), metadata }));
    const one = controllerOfSites().finalizer(NAME, note('clean')).reconcile(note('reconcile'));
    await world.start(one);
    expect(await finalizers()).to.deep.equal(['example.org/other', NAME]);
    await world.after(sites().delete('a'));
    expect(await finalizers()).to.deep.equal(['example.org/other']);
    await world.after(sites().patch('a', { metadata: { labels: { x: 'y' } } }));
    expect(events).to.deep.equal(['reconcile', 'clean']);
    const results = one.inspect().history.map(({ result }) => result);
    expect(results).to.deep.equal(['done', 'cleaned', 'done']);
    await world.after(sites().patch('a', { metadata: { finalizers: null } }));
  });

  it('stays until its cleanup has succeeded, which is retried, and until it has finished', async () => {
    await world.after(sites().create(site('a')));
    let tries = 0;
    await world.start(
      controllerOfSites()
        .finalizer(NAME, async () => {
          tries += 1;
          if (tries === 1) throw new Error('the name server is away');
          return tries === 2
            ? { requeueAfterMs: 60_000, status: { serves: 'stopping' } }
            : undefined;
        })
        .reconcile(async () => {}),
    );
    await world.after(sites().delete('a'));
    await world.runtime.advance(1_000);
    expect(tries).to.equal(2);
    expect(world.log).to.have.length(1);
    expect((await world.after(sites().get('a'))).status?.serves).to.equal('stopping');
    await world.runtime.advance(60_000);
    expect(tries).to.equal(3);
    expect(await world.after(sites().list())).to.deep.include({ items: [] });
  });

  it('stays when its cleanup names a time that is no time', async () => {
    await world.after(sites().create(site('a')));
    const delays = [Number.NaN, -1];
    await world.start(
      controllerOfSites()
        .finalizer(NAME, async () => {
          const requeueAfterMs = delays.shift();
          events.push(`clean ${requeueAfterMs}`);
          return { requeueAfterMs };
        })
        .reconcile(async () => {}),
    );
    await world.after(sites().delete('a'));
    expect(await finalizers()).to.deep.equal([NAME]);
    await world.runtime.advance(1_000);
    expect(events).to.deep.equal(['clean NaN', 'clean -1', 'clean undefined']);
    expect(await world.after(sites().list())).to.deep.include({ items: [] });
    expect(world.log[0]).to.include(
      'finalizer: option "requeueAfterMs" must be a number of at least 0, not NaN',
    );
  });

  it('is removed after a change of another in between, without a second cleanup', async () => {
    await world.after(sites().create(site('a')));
    await world.start(
      controllerOfSites()
        .finalizer(NAME, async () => {
          events.push('clean');
          await sites().patch('a', { metadata: { annotations: { note: String(events.length) } } });
        })
        .reconcile(async () => {}),
    );
    await world.after(sites().delete('a'));
    await world.runtime.advance(1_000);
    expect(events).to.deep.equal(['clean']);
    expect(await world.after(sites().list())).to.deep.include({ items: [] });
    expect(world.log).to.deep.equal([]);
  });

  it('is removed after failures of the removal, without a second cleanup', async () => {
    await world.after(sites().create(site('a')));
    await world.start(
      controllerOfSites().finalizer(NAME, note('clean')).reconcile(note('reconcile')),
    );
    const fault = world.server.faults.add({
      match: { verb: 'patch', resource: 'sites' },
      answer: { status: 500 },
      times: 2,
    });
    await world.after(sites().delete('a'));
    await world.runtime.advance(10_000);
    expect(fault.fired).to.equal(2);
    expect(world.log).to.have.length(2);
    expect(events).to.deep.equal(['reconcile', 'clean']);
    expect(await world.after(sites().list())).to.deep.include({ items: [] });
    // Another object of the name has a cleanup of its own.
    await world.after(sites().create(site('a')));
    await world.after(sites().delete('a'));
    expect(events.slice(2)).to.deep.equal(['reconcile', 'clean']);
  });

  it('goes in the other order when there are several', async () => {
    await world.after(sites().create(site('a')));
    await world.start(
      controllerOfSites()
        .finalizer('example.com/first', note('first'))
        .finalizer('example.com/second', note('second'))
        .reconcile(async () => {}),
    );
    expect(await finalizers()).to.deep.equal(['example.com/first', 'example.com/second']);
    await world.after(sites().delete('a'));
    expect(events).to.deep.equal(['second', 'first']);
  });

  it('is not added to an object that is being deleted, which is not reconciled', async () => {
    const metadata = { name: 'a', finalizers: ['example.org/other'] };
    await world.after(sites().create({ ...site('a'), metadata }));
    await world.after(sites().delete('a'));
    await world.start(
      controllerOfSites().finalizer(NAME, note('clean')).reconcile(note('reconcile')),
    );
    expect(await finalizers()).to.deep.equal(['example.org/other']);
    expect(events).to.deep.equal([]);
    await world.after(sites().patch('a', { metadata: { finalizers: null } }));
  });

  it('and status and annotation of one run wake nothing up, although their events come before the answers', async () => {
    const transport = inProcessTransport(async (request) => {
      const response = await world.server.handler(request);
      if (request.method === 'PATCH') await sleep(world.runtime, 50);
      return response;
    });
    const client = new Client({ transport, runtime: world.runtime });
    await world.after(sites().create(site('a')));
    const one = controller<Site>(client, 'example.com/v1', 'sites', world.options)
      .finalizer(NAME, async () => {})
      .remembers({ annotation: 'example.com/last' })
      .reconcile(async ({ spec }) => {
        events.push('reconcile');
        return { status: { serves: spec.host } };
      });
    await world.start(one);
    await world.runtime.advance(1_000);
    expect(events).to.deep.equal(['reconcile']);
    expect((await world.after(sites().get('a'))).status?.serves).to.equal('a.example.com');
    await world.runtime.run(one.close());
    await client.close();
  });

  it('is removed from an object that `where` has left out since', async () => {
    const annotations = { copy: 'yes' };
    await world.after(sites().create({ ...site('a'), metadata: { name: 'a', annotations } }));
    await world.after(sites().create(site('other')));
    await world.start(
      controllerOfSites()
        .where(({ metadata }) => metadata.annotations?.['copy'] === 'yes')
        .finalizer(NAME, note('clean'))
        .reconcile(async ({ metadata }) => {
          events.push(`${metadata.name} ${metadata.annotations?.['copy']}`);
        }),
    );
    await world.after(sites().patch('a', { metadata: { annotations: null } }));
    expect(events).to.deep.equal(['a yes', 'a undefined']);
    await world.after(sites().delete('a'));
    expect(events.slice(2)).to.deep.equal(['clean']);
    const { items } = await world.after(sites().list());
    expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['other']);
  });

  it('excludes a label selector, which would lose the object with its labels', () => {
    const options = { ...world.options, labelSelector: 'copy=yes' };
    const builder = controller<Site>(world.client, 'example.com/v1', 'sites', options);
    expect(() => builder.finalizer(NAME, note('clean')).reconcile(note('reconcile')))
      .to.throw(
        /^controller of example.com\/v1\/sites: .*use \.where\(withLabels\("copy=yes"\)\) instead/,
      )
      .with.property('code', 'INVALID_OPTION');
  });

  it('has a name with a domain, once', () => {
    const clean = async (): Promise<void> => {};
    expect(() => controllerOfSites().finalizer('dns', clean)).to.throw(/"example.com\/cleanup"/);
    expect(() => controllerOfSites().finalizer(NAME, clean).finalizer(NAME, clean)).to.throw(
      /declared twice/,
    );
    expect(() => controllerOfSites().finalizer(NAME, 7 as never)).to.throw(/not number/);
  });
});
