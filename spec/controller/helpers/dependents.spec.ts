import { expect } from 'chai';
import {
  applyDependents,
  deleteDependents,
  dependent,
  type Dependent,
} from '../../../lib/controller/helpers/dependents.ts';
import { ControllerWorld, deployment } from '../builder/controller-world.ts';

const { signal } = new AbortController();

describe('dependents', () => {
  let world: ControllerWorld;

  beforeEach(() => {
    world = new ControllerWorld();
  });

  afterEach(async () => {
    await world.stop();
  });

  const maps = () => world.user.resource('v1', 'configmaps', { namespace: 'default' });
  const deployments = () => world.user.resource('apps/v1', 'deployments', { namespace: 'default' });
  const map = (name: string, finalizers: readonly string[] = []) =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, finalizers } }) as const;

  function shop(): { database: Dependent; config: Dependent; web: Dependent } {
    const typed = { apiVersion: 'apps/v1', kind: 'Deployment' };
    const database = dependent(
      deployments(),
      { ...deployment('database'), ...typed, metadata: { name: 'database' } },
      { isReady: ({ status }) => status?.readyReplicas === 1 },
    );
    const config = dependent(maps(), map('config'));
    const web = dependent(maps(), map('web'), { after: [database, config] });
    return { database, config, web };
  }

  it('are applied in their order, each when those before it are ready', async () => {
    const { database, config, web } = shop();
    // `database` is applied although it is only named by `web`.
    const first = await world.after(applyDependents([web, config], { signal }));
    expect(first).to.deep.equal({
      done: false,
      pending: ['Deployment "database"'],
      waiting: ['ConfigMap "web"'],
    });
    expect((await world.after(maps().list())).items).to.have.length(1);
    const status = { status: { replicas: 1, readyReplicas: 1 } };
    await world.after(deployments().patch('database', status, { subresource: 'status' }));
    const second = await world.after(applyDependents([database, config, web], { signal }));
    expect(second).to.deep.equal({ done: true, pending: [], waiting: [] });
    expect((await world.after(maps().get('web'))).metadata.name).to.equal('web');
  });

  it('are deleted in the reverse order, each when those behind it are gone', async () => {
    const config = dependent(maps(), map('config'));
    const web = dependent(maps(), map('web', ['example.com/hold']), { after: [config] });
    await world.after(applyDependents([config, web], { signal }));
    const first = await world.after(deleteDependents([config, web], { signal }));
    expect(first).to.deep.equal({
      done: false,
      pending: ['ConfigMap "web"'],
      waiting: ['ConfigMap "config"'],
    });
    await world.after(maps().patch('web', { metadata: { finalizers: null } }));
    const second = await world.after(deleteDependents([config, web], { signal }));
    expect(second.done).to.equal(true);
    expect((await world.after(maps().list())).items).to.have.length(0);
    expect((await world.after(deleteDependents([config, web], { signal }))).done).to.equal(true);
  });

  it('that fail do not keep others from being applied', async () => {
    const wrong = dependent(maps(), { ...map('Wrong Name') });
    const right = dependent(maps(), map('right'));
    const behind = dependent(maps(), map('behind'), { after: [wrong] });
    const failure = await world.after(
      applyDependents([wrong, right, behind], { signal }).catch((error: Error) => error.message),
    );
    expect(failure).to.match(/Wrong Name/);
    const names = (await world.after(maps().list())).items.map(({ metadata }) => metadata.name);
    expect(names).to.deep.equal(['right']);
  });

  it('have no circles: what is added to the list of prerequisites later does not count', async () => {
    const after: Dependent[] = [];
    const config = dependent(maps(), map('config'), { after });
    const web = dependent(maps(), map('web'), { after: [config] });
    after.push(web);
    const { done } = await world.after(applyDependents([config, web], { signal }));
    expect(done).to.equal(true);
  });
});
