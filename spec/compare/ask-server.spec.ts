import { expect } from 'chai';
import { ApiServer } from '../../lib/cluster/server/index.ts';
import { askServer } from './ask-server.ts';
import { get, post } from './draw.ts';
import type { Scenario } from './scenario.ts';
import { Target } from './target/target.ts';

const maps = '/api/v1/namespaces/{ns}/configmaps';
const map = (name: string, rest: object = {}): unknown => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...rest },
});

describe('askServer', () => {
  let server: ApiServer;
  let target: Target;

  beforeEach(async () => {
    server = new ApiServer();
    await server.listen();
    target = new Target({ server: server.url, token: server.token });
  });

  afterEach(async () => {
    target.close();
    await server.close();
  });

  const scenario = (steps: Scenario['steps']): Scenario => ({
    id: 'list/1/0',
    area: 'list',
    namespace: true,
    steps,
  });

  const namesOf = async (path: string): Promise<readonly string[]> => {
    const request = { method: 'GET', path, headers: {}, body: undefined, anonymous: false };
    const { bytes } = await target.send(request);
    const list = JSON.parse(bytes.toString()) as { items: { metadata: { name: string } }[] };
    return list.items.map(({ metadata }) => metadata.name);
  };

  it('fills in facts of earlier answers', async () => {
    const steps = [
      post(maps, map('one')),
      get(`${maps}/{name:0}?resourceVersion={rv:0}`),
      { method: 'DELETE', path: `${maps}/one`, body: { preconditions: { uid: '{uid:0}' } } },
    ];
    const [answers] = await askServer(target, [scenario(steps)], { prefix: 'spec' });
    expect(answers!.map(({ status }) => status)).to.deep.equal([201, 200, 200]);
  });

  it('deletes what a scenario left, also objects with finalizers and those outside of its namespace', async () => {
    const before = await namesOf('/api/v1/namespaces');
    const steps = [
      post(maps, map('held', { finalizers: ['example.com/hold'] })),
      post('/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: '{ns}-b' },
      }),
      post('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: '{ns}-node' } }),
    ];
    const [answers] = await askServer(target, [scenario(steps)], { prefix: 'spec' });
    expect(answers!.map(({ status }) => status)).to.deep.equal([201, 201, 201]);
    expect(await namesOf('/api/v1/nodes')).to.deep.equal([]);
    expect(await namesOf('/api/v1/configmaps')).to.deep.equal([]);
    expect(await namesOf('/api/v1/namespaces')).to.deep.equal(before);
  });

  it('lets the scenarios that have begun clean up after one has failed', async () => {
    const before = await namesOf('/api/v1/namespaces');
    const taken = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'spec-00001' } };
    const request = {
      method: 'POST',
      path: '/api/v1/namespaces',
      headers: { 'content-type': 'application/json' },
    };
    await target.send({ ...request, body: JSON.stringify(taken), anonymous: false });
    const scenarios = [scenario([post(maps, map('one'))]), scenario([])];
    const failure = await askServer(target, scenarios, { prefix: 'spec' }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(String(failure)).to.contain('scenario list/1/0 failed');
    const left = await namesOf('/api/v1/namespaces');
    expect(left.filter((name) => !before.includes(name) && name !== 'spec-00001')).to.deep.equal(
      [],
    );
  });
});
