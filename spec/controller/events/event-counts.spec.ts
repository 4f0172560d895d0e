import { expect } from 'chai';
import { EventsWorld, MINUTE_MS, WEB } from './events-world.ts';

describe('EventRecorder over v1', () => {
  let world: EventsWorld;

  beforeEach(() => {
    world = new EventsWorld();
  });

  afterEach(async () => {
    await world.stop();
  });

  it('counts the same event with the same note, and writes each occurrence', async () => {
    const recorder = world.recorder({ api: 'v1' });
    for (let count = 0; count < 3; count += 1) {
      recorder.event(WEB, { reason: 'Pulled', note: 'an image', action: 'Pull' });
      await world.pass(2000);
    }
    const [event, ...others] = await world.coreEvents();
    expect(others).to.deep.equal([]);
    expect(event).to.deep.include({
      count: 3,
      message: 'an image',
      reason: 'Pulled',
      action: 'Pull',
      source: { component: 'spec', host: 'spec-0' },
      reportingComponent: 'spec',
      eventTime: null,
    });
    expect(event?.involvedObject).to.deep.include({ kind: 'ConfigMap', name: 'web' });
    const { firstTimestamp = '', lastTimestamp = '' } = event ?? {};
    expect(Date.parse(lastTimestamp) - Date.parse(firstTimestamp)).to.equal(4000);
    expect(world.requests).to.have.length(3);
  });

  it('writes the count of an event that is seen again while it is written', async () => {
    const recorder = world.recorder({ api: 'v1' });
    const occur = (): void => recorder.event(WEB, { reason: 'Pulled', note: 'an image' });
    world.onNextRequest = occur;
    occur();
    await world.pass(0);
    expect((await world.coreEvents()).map(({ count }) => count)).to.deep.equal([2]);
    expect(world.requests).to.have.length(2);
  });

  it('combines events from ten different notes within ten minutes on', async () => {
    const recorder = world.recorder({ api: 'v1' });
    for (let note = 1; note <= 12; note += 1) {
      recorder.event(WEB, { reason: 'Failed', note: `try ${note}` });
      await world.pass(1000);
    }
    const events = await world.coreEvents();
    expect(events).to.have.length(10);
    const combined = events.filter(({ message }) => message?.startsWith('(combined'));
    expect(combined.map(({ message, count }) => ({ message, count }))).to.deep.equal([
      { message: '(combined from similar events): try 12', count: 3 },
    ]);
  });

  it('does not combine them when ten minutes lie between', async () => {
    const recorder = world.recorder({ api: 'v1' });
    for (let note = 1; note <= 14; note += 1) {
      recorder.event(WEB, { reason: 'Failed', note: `try ${note}` });
      await world.pass(note === 9 ? 11 * MINUTE_MS : 1000);
    }
    expect(await world.coreEvents()).to.have.length(14);
  });
});
