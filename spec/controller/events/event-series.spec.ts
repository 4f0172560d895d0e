import { expect } from 'chai';
import { EventsWorld, MINUTE_MS, WEB } from './events-world.ts';

describe('EventRecorder over events.k8s.io/v1', () => {
  let world: EventsWorld;

  beforeEach(() => {
    world = new EventsWorld();
  });

  afterEach(async () => {
    await world.stop();
  });

  it('writes a new event with its object, its reporter and a time of six digits', async () => {
    const recorder = world.recorder();
    const related = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'x' } };
    recorder.event(WEB, { reason: 'Published', note: 'the page is there', related });
    expect(world.requests).to.deep.equal([]);
    await world.runtime.run(recorder.flush());
    const [event] = await world.events();
    expect(event).to.deep.include({
      type: 'Normal',
      reason: 'Published',
      action: 'Published',
      note: 'the page is there',
      reportingController: 'spec',
      reportingInstance: 'spec-0',
      regarding: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'web',
        namespace: 'default',
        uid: 'a1',
      },
      related: { apiVersion: 'v1', kind: 'Pod', name: 'p', namespace: 'x' },
    });
    expect(event?.eventTime).to.match(/\.\d{6}Z$/);
    expect(event?.metadata?.name).to.match(/^web\.[0-9a-f]{19}$/);
    expect(event).not.to.have.property('series');
    expect(recorder.inspect()).to.deep.include({ recorded: 1, written: 1, waiting: 0 });
    // Both APIs have one storage.
    const [core] = await world.coreEvents();
    expect(core).to.deep.include({ message: 'the page is there', reportingComponent: 'spec' });
  });

  it('makes the second occurrence a series, counts further ones, and compares no notes', async () => {
    const recorder = world.recorder();
    const occur = async (note: string, resourceVersion: string): Promise<void> => {
      const metadata = { ...WEB.metadata, resourceVersion };
      recorder.event({ ...WEB, metadata }, { reason: 'Failed', note, type: 'Warning' });
      await world.pass(1000);
    };
    await occur('first', '1');
    await occur('second', '2');
    for (let count = 3; count <= 20; count += 1) await occur('later', String(count));
    expect(world.requests.map(({ line }) => line.split(' ')[0])).to.deep.equal(['POST', 'PATCH']);
    const [event, ...others] = await world.events();
    expect(others).to.deep.equal([]);
    expect(event?.note).to.equal('first');
    expect(event?.series?.count).to.equal(2);
    expect(event?.series?.lastObservedTime).to.match(/\.\d{6}Z$/);
  });

  it('writes the count of a series that is idle for 6 minutes, and then begins anew', async () => {
    const recorder = world.recorder();
    for (let count = 0; count < 5; count += 1) {
      recorder.event(WEB, { reason: 'Failed', note: 'no' });
      await world.pass(1000);
    }
    expect((await world.events())[0]?.series?.count).to.equal(2);
    await world.pass(5 * MINUTE_MS);
    expect((await world.events())[0]?.series?.count).to.equal(2);
    await world.pass(2 * MINUTE_MS);
    expect((await world.events())[0]?.series?.count).to.equal(5);
    recorder.event(WEB, { reason: 'Failed', note: 'again' });
    await world.pass(1000);
    expect(await world.events()).to.have.length(2);
  });

  it('writes a series that goes on every 30 minutes', async () => {
    const recorder = world.recorder();
    for (let minute = 0; minute < 62; minute += 1) {
      recorder.event(WEB, { reason: 'Failed', note: 'no' });
      await world.pass(MINUTE_MS);
    }
    const patches = world.requests.filter(({ line }) => line.startsWith('PATCH'));
    const minutes = patches.map(({ atMs }) => Math.round(atMs / MINUTE_MS));
    expect(minutes).to.deep.equal([1, 31, 61]);
    expect((await world.events())[0]?.series?.count).to.equal(61);
  });

  it('makes a new event when the server has dropped that of a series', async () => {
    const recorder = world.recorder();
    recorder.event(WEB, { reason: 'Failed', note: 'no' });
    await world.pass(0);
    const [first] = await world.events();
    const api = world.client.resource('v1', 'events', { namespace: 'default' });
    await world.runtime.run(api.delete(String(first?.metadata?.name)));
    recorder.event(WEB, { reason: 'Failed', note: 'no' });
    await world.pass(0);
    const [second] = await world.events();
    expect(second?.metadata?.name).not.to.equal(first?.metadata?.name);
    expect(second?.series?.count).to.equal(2);
  });

  it('writes one event for occurrences of one turn', async () => {
    const recorder = world.recorder();
    for (let count = 0; count < 3; count += 1) recorder.event(WEB, { reason: 'A', note: 'a' });
    await world.pass(0);
    expect(world.requests).to.have.length(1);
    expect((await world.events())[0]?.series?.count).to.equal(3);
  });

  it('writes events of objects without a namespace to default, and odd names as UUIDs', async () => {
    const recorder = world.recorder();
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
    recorder.event({ ...role, metadata: { name: 'system:node' } }, { reason: 'A', note: 'a' });
    recorder.event({ ...role, metadata: { name: 'x'.repeat(250) } }, { reason: 'A', note: 'a' });
    await world.pass(0);
    const names = (await world.events()).map(({ metadata }) => metadata?.name);
    expect(names).to.have.length(2);
    for (const name of names) expect(name).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  });

  it('writes the last counts when it closes', async () => {
    const recorder = world.recorder();
    for (let count = 0; count < 7; count += 1) {
      recorder.event(WEB, { reason: 'A', note: 'a' });
      await world.pass(10);
    }
    await world.runtime.run(recorder.close());
    expect((await world.events())[0]?.series?.count).to.equal(7);
  });

  it('forgets the least recently seen series beyond 4096, and writes its count first', async () => {
    const recorder = world.recorder();
    for (let count = 0; count < 3; count += 1) {
      recorder.event(WEB, { reason: 'First', note: 'a' });
      await world.pass(0);
    }
    for (let count = 0; count < 4096; count += 1) {
      const metadata = { name: `m${count}`, namespace: 'default' };
      recorder.event({ ...WEB, metadata }, { reason: 'A', note: 'a' });
      if (count % 500 === 0) await world.pass(0);
    }
    await world.pass(0);
    const first = (await world.events()).find(({ reason }) => reason === 'First');
    expect(first?.series?.count).to.equal(3);
  });
});
