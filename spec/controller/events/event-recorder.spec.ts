import { expect } from 'chai';
import { TransportError } from '../../../lib/client/transport/contract/transport-error.ts';
import { FakeEventRecorder } from '../../../lib/testing/fake-event-recorder.ts';
import type { EventSink, NewEvent } from '../../../lib/controller/events/event-sink.ts';
import { EventsWorld, MINUTE_MS, WEB } from './events-world.ts';

describe('EventRecorder', () => {
  let world: EventsWorld;

  beforeEach(() => {
    world = new EventsWorld();
  });

  afterEach(async () => {
    world.down = false;
    await world.stop();
  });

  it('writes 25 events about one object, then one every 5 minutes, for each type', async () => {
    const recorder = world.recorder();
    const burst = async (type: 'Normal' | 'Warning'): Promise<void> => {
      for (let count = 0; count < 40; count += 1) {
        recorder.event(WEB, { reason: `R${count}`, note: 'x', type });
      }
      await world.pass(0);
    };
    await burst('Normal');
    expect(await world.events()).to.have.length(25);
    await burst('Warning');
    expect(await world.events()).to.have.length(50);
    await world.pass(5 * MINUTE_MS);
    recorder.event(WEB, { reason: 'Later', note: 'x' });
    recorder.event(WEB, { reason: 'TooSoon', note: 'x' });
    recorder.event({ ...WEB, kind: 'Secret' }, { reason: 'Other', note: 'x' });
    await world.pass(0);
    const reasons = (await world.events()).map(({ reason }) => reason);
    expect(reasons).to.include.members(['Later', 'Other']).and.not.to.include('TooSoon');
    expect(recorder.inspect().dropped.spam).to.equal(31);
    expect(world.log).to.deep.equal([
      'event dropped; further ones are only counted, in inspect().dropped: ' +
        'too many events about ConfigMap web: after 25, one in 5 minutes is written (controller=spec reason=spam)',
    ]);
  });

  it('tries 12 times with pauses of 10 s and jitter, the first one drawn', async () => {
    world.down = true;
    const recorder = world.recorder();
    recorder.event(WEB, { reason: 'A', note: 'a' });
    await world.pass(3 * MINUTE_MS);
    const times = world.requests.map(({ atMs }) => atMs);
    expect(times).to.have.length(12);
    const pauses = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(pauses[0]).to.be.within(0, 10_000);
    for (const pause of pauses.slice(1)) expect(pause).to.be.within(10_000, 12_500);
    expect(new Set(pauses).size).to.equal(11);
    expect(recorder.inspect().dropped.unreachable).to.equal(1);
    expect(world.log).to.have.length(1);
    expect(world.log[0]).to.match(
      /an event about ConfigMap web was not written: .*nothing listens/,
    );
    world.down = false;
    recorder.event(WEB, { reason: 'A', note: 'a' });
    await world.pass(0);
    expect(await world.events()).to.have.length(1);
  });

  it('does not try again what the server refuses, and says so once', async () => {
    const recorder = world.recorder();
    for (const name of ['one', 'two']) {
      const metadata = { name, namespace: 'not-there' };
      recorder.event({ ...WEB, metadata }, { reason: 'A', note: 'a' });
      await world.pass(MINUTE_MS);
    }
    expect(world.requests).to.have.length(2);
    expect(recorder.inspect().dropped.refused).to.equal(2);
    expect(world.log).to.have.length(1);
    expect(world.log[0]).to.contain('not-there').and.to.contain('reason=refused');
  });

  it('writes two events that have drawn one name: the second draws again', async () => {
    const draws = [0.5, 0.5];
    const recorder = world.recorder();
    world.runtime.random = () => draws.shift() ?? 0.25;
    recorder.event(WEB, { reason: 'A', note: 'a' });
    recorder.event(WEB, { reason: 'B', note: 'b' });
    await world.pass(0);
    const reasons = (await world.events()).map(({ reason }) => reason);
    expect(reasons).to.have.members(['A', 'B']);
    expect(recorder.inspect()).to.deep.include({ written: 2, waiting: 0 });
  });

  it('distinguishes the events of a burst that a server which is down gets later', async () => {
    const draws = [0.5, 0.5 + 1e-8];
    const recorder = world.recorder();
    world.runtime.random = () => draws.shift() ?? 0.25;
    world.down = true;
    recorder.event(WEB, { reason: 'A', note: 'a' });
    recorder.event(WEB, { reason: 'B', note: 'b' });
    await world.pass(0);
    world.down = false;
    await world.pass(MINUTE_MS);
    const reasons = (await world.events()).map(({ reason }) => reason);
    expect(reasons).to.have.members(['A', 'B']);
  });

  it('takes a name that exists after a lost answer for its own event', async () => {
    const recorder = world.recorder();
    world.onNextRequest = () => {
      const target = { server: 'https://api.test', method: 'POST', path: '/' };
      throw new TransportError('CONNECTION_FAILED', target, 'the answer was lost');
    };
    recorder.event(WEB, { reason: 'A', note: 'a' });
    await world.pass(MINUTE_MS);
    expect(await world.events()).to.have.length(1);
    expect(recorder.inspect()).to.deep.include({ written: 1, waiting: 0 });
  });

  it('keeps 1000 waiting events, drops further ones, and ends by its deadline', async () => {
    world.down = true;
    const recorder = world.recorder();
    for (let count = 0; count < 1500; count += 1) {
      const metadata = { name: `m${count}`, namespace: 'default' };
      recorder.event({ ...WEB, metadata }, { reason: 'A', note: 'a' });
    }
    expect(recorder.inspect()).to.deep.include({ recorded: 1500, waiting: 1000 });
    expect(recorder.inspect().dropped.queue).to.equal(500);
    const failure = await world.runtime.run(
      recorder.flush({ timeoutMs: 1000 }).catch((error: unknown) => error),
    );
    expect(failure).to.have.property('code', 'TIMEOUT');
    const before = world.runtime.monotonicMs();
    await world.runtime.run(recorder.close());
    expect(world.runtime.monotonicMs() - before).to.equal(5000);
    expect(recorder.inspect()).to.have.property('waiting', 0);
    expect(recorder.inspect().dropped.unreachable).to.equal(1000);
    expect(world.log.at(-1)).to.equal(
      'events were not written in time, and are lost (controller=spec lost=1000 timeoutMs=5000)',
    );
  });

  it('never throws: wrong calls are counted and said once', async () => {
    const recorder = world.recorder();
    const wrong: readonly (readonly [object, unknown])[] = [
      [{}, { reason: 'A', note: 'a' }],
      [WEB, undefined],
      [WEB, { reason: '', note: 'a' }],
      [WEB, { reason: 'A', note: 7 }],
      [WEB, { reason: 'A'.repeat(129), note: 'a' }],
      [WEB, { reason: 'A', note: 'a', type: 'Error' }],
      [WEB, { reason: 'A', note: 'a', related: {} }],
    ];
    // Callers in JavaScript have no types.
    for (const [object, event] of wrong) recorder.event(object, event as NewEvent);
    expect(recorder.inspect().dropped.invalid).to.equal(7);
    expect(world.log).to.have.length(1);
    expect(world.log[0]).to.contain('the object needs apiVersion, kind and metadata.name');
    await world.runtime.run(recorder.close());
    recorder.event(WEB, { reason: 'A', note: 'a' });
    expect(recorder.inspect().dropped.closed).to.equal(1);
    expect(world.requests).to.deep.equal([]);
  });

  it('cuts long notes at a character, and makes legal names of reporters', async () => {
    const recorder = world.recorder({ controller: 'sites of /a/b: 1' });
    expect(recorder.controller).to.equal('sites-of--a-b--1');
    expect(world.recorder({ controller: '…' }).controller).to.equal('controller');
    recorder.event(WEB, { reason: 'A', note: 'é'.repeat(600) });
    await world.pass(0);
    const [event] = await world.events();
    expect(event?.note).to.equal(`${'é'.repeat(510)}…`);
    expect(recorder.inspect().written).to.equal(1);
  });

  it('refuses wrong options', () => {
    const wrong = (options: object): void => {
      expect(() => world.recorder(options))
        .to.throw()
        .with.property('code', 'INVALID_OPTION');
    };
    wrong({ api: 'v2' });
    wrong({ controller: 7 });
    wrong({ closeTimeoutMs: -1 });
    wrong({ more: 1 });
  });
});

describe('FakeEventRecorder', () => {
  it('collects events up to its capacity, and never blocks', () => {
    const recorder = new FakeEventRecorder({ capacity: 2 });
    const sink: EventSink = recorder;
    sink.event(WEB, { reason: 'Published', note: 'the page is there' });
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
    sink.event(node, { type: 'Warning', reason: 'Gone', note: 'x' });
    sink.event(WEB, { reason: 'More', note: 'x' });
    expect(recorder.lines).to.deep.equal([
      'Normal Published ConfigMap default/web: the page is there',
      'Warning Gone Node n: x',
    ]);
    expect(recorder.dropped).to.equal(1);
    expect(() => sink.event({}, { reason: 'A', note: 'a' })).to.throw(/needs apiVersion/);
    recorder.clear();
    expect(recorder).to.deep.include({ events: [], dropped: 0 });
  });
});
