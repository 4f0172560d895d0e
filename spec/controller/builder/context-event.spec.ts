import { expect } from 'chai';
import { controller } from '../../../lib/controller/builder/controller-builder.ts';
import { FakeEventRecorder } from '../../../lib/testing/fake-event-recorder.ts';
import { ControllerWorld, deployment } from './controller-world.ts';

const NAMESPACE = { namespace: 'default' };

describe('controller: context.event', () => {
  let world: ControllerWorld;

  beforeEach(() => {
    world = new ControllerWorld();
  });

  afterEach(async () => {
    await world.stop();
  });

  const create = async (): Promise<void> => {
    const deployments = world.user.resource('apps/v1', 'deployments', NAMESPACE);
    await world.after(deployments.create(deployment('a')));
  };

  it('reports events about the object, by the name of the controller', async () => {
    await create();
    const options = { ...world.options, name: 'shop' };
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', options).reconcile(
        async ({ metadata }, { event }) => {
          event({ reason: 'Seen', note: `saw ${metadata.name}` });
        },
      ),
    );
    const events = world.user.resource('events.k8s.io/v1', 'events', NAMESPACE);
    const [event, ...others] = (await world.after(events.list())).items;
    expect(others).to.deep.equal([]);
    expect(event).to.deep.include({
      note: 'saw a',
      reason: 'Seen',
      reportingController: 'shop',
    });
    const { apiVersion, kind, name, uid, resourceVersion } = event?.regarding ?? {};
    expect({ apiVersion, kind, name }).to.deep.equal({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'a',
    });
    expect([uid, resourceVersion]).not.to.include(undefined);
  });

  it('reports to the recorder of the options, also about other objects', async () => {
    await create();
    const events = new FakeEventRecorder();
    const about = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
    await world.start(
      controller(world.client, 'apps/v1', 'deployments', { ...world.options, events }).reconcile(
        async (_object, context) => {
          context.event({ type: 'Warning', reason: 'Failed', note: 'x' });
          context.event({ reason: 'Used', note: 'y' }, about);
        },
      ),
    );
    expect(events.lines).to.deep.equal([
      'Warning Failed Deployment default/a: x',
      'Normal Used Node n: y',
    ]);
  });
});
