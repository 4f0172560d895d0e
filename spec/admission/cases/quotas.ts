import {
  outcome,
  pod,
  things,
  type AdmissionCase,
  type Thing,
  type World,
} from '../admission-case.ts';
import type { Json } from '../webhook-process.ts';
import { until } from '../../support/until.ts';

/** A quota with the status that a controller would give it; resolves when the server counts for it. */
async function quota(world: World, name: string, hard: Json, spec: Json = {}): Promise<void> {
  const api = things(world, 'v1', 'resourcequotas');
  const given = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name } };
  await api.create({ ...given, spec: { hard, ...spec } });
  const used = Object.fromEntries(Object.keys(hard).map((one) => [one, '0']));
  await api.patch(name, { status: { hard, used } }, { type: 'merge', subresource: 'status' });
  await followed(world);
}

const PROBED = 'count/leases.coordination.k8s.io';
let probes = 0;

/** Servers follow quotas in the order of their writes: resolves when the server refuses by one that is written now. */
async function followed(world: World): Promise<void> {
  const api = things(world, 'v1', 'resourcequotas');
  const mark = String((probes += 1));
  const given = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'probe' } };
  await outcome(api.create({ ...given, spec: { hard: { [PROBED]: '0' } } }));
  const status = { hard: { [PROBED]: '0' }, used: { [PROBED]: mark } };
  await api.patch('probe', { status }, { type: 'merge', subresource: 'status' });
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a' } };
  const leases = things(world, 'coordination.k8s.io/v1', 'leases');
  await until('the server to see a quota', async () => {
    const answer = JSON.stringify(await outcome(leases.create(lease, { dryRun: true })));
    return answer.includes(`used: ${PROBED}=${mark},`);
  });
}

async function used(world: World, name = 'one'): Promise<unknown> {
  const { status } = (await things(world, 'v1', 'resourcequotas').get(name)) as Thing;
  return (status as Json)['used'];
}

const ofOne = (resources: Json, more: Json = {}): Json => ({
  containers: [{ name: 'web', image: 'a:1', resources }],
  ...more,
});

const both = (cpu: string, memory: string): Json => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});

async function refusals(
  world: World,
  resource: string,
  bodies: readonly Thing[],
): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const body of bodies) {
    const answer = (await outcome(things(world, 'v1', resource).create(body))) as Json;
    answers.push(answer['refused'] ?? 'created');
  }
  return answers;
}

/** ResourceQuotas: what counts, what is refused, and what was used afterwards. */
export const quotas: readonly AdmissionCase[] = [
  {
    title: 'a quota of processor, memory and pods',
    async run(world) {
      const hard = { pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi' };
      await quota(world, 'one', hard);
      const answers = await refusals(world, 'pods', [
        pod('a', ofOne(both('600m', '256Mi'))),
        pod('b', ofOne(both('600m', '256Mi'))),
        pod('c', ofOne(both('100m', '2Gi'))),
        pod('d', ofOne({ limits: { memory: '1Mi' } })),
        pod('e', ofOne({})),
        pod('f', ofOne(both('100m', '1Mi'))),
        pod('g', ofOne(both('500m', '1Gi'))),
      ]);
      return { answers, used: await used(world) };
    },
  },
  {
    title: 'a dry run is checked against a quota, and does not count',
    async run(world) {
      await quota(world, 'one', { pods: '1' });
      const api = things(world, 'v1', 'pods');
      await api.create(pod('a'), { dryRun: true });
      const before = await used(world);
      await api.create(pod('b'));
      const refused = await outcome(api.create(pod('c'), { dryRun: true }));
      return { before, refused, after: await used(world) };
    },
  },
  {
    title: 'a quota without a status limits nothing',
    async run(world) {
      const api = things(world, 'v1', 'resourcequotas');
      const spec = { hard: { pods: '0' } };
      await api.create({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'one' },
        spec,
      });
      await followed(world);
      return await refusals(world, 'pods', [pod('a')]);
    },
  },
  {
    title: 'a quota whose usage is not known yet',
    async run(world) {
      await quota(world, 'one', { pods: '1', 'requests.cpu': '1' });
      const api = things(world, 'v1', 'resourcequotas');
      const status = { used: { pods: null } };
      await api.patch('one', { status }, { type: 'merge', subresource: 'status' });
      await followed(world);
      return await refusals(world, 'pods', [pod('a', ofOne(both('1', '1Mi')))]);
    },
  },
  {
    title: 'quotas of services, their node ports and load balancers',
    async run(world) {
      const hard = { services: '3', 'services.nodeports': '2', 'services.loadbalancers': '1' };
      await quota(world, 'one', hard);
      const service = (name: string, spec: Json): Thing => {
        const ports = [{ port: 80, name: 'a' }];
        const object = { apiVersion: 'v1', kind: 'Service', metadata: { name } };
        return { ...object, spec: { ports, selector: { a: 'b' }, ...spec } };
      };
      const without = { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false };
      const answers = await refusals(world, 'services', [
        service('a', { type: 'NodePort' }),
        service('b', without),
        service('c', { type: 'LoadBalancer' }),
        service('d', {}),
        service('e', {}),
      ]);
      const ports = [80, 81, 82].map((port) => ({ port, name: `p${port}` }));
      const change = { spec: { type: 'NodePort', ports } };
      const updated = await outcome(things(world, 'v1', 'services').patch('d', change));
      return { answers, updated, used: await used(world) };
    },
  },
  {
    title: 'quotas of storage, also by class',
    async run(world) {
      const ofGold = 'gold.storageclass.storage.k8s.io/requests.storage';
      const hard = { persistentvolumeclaims: '3', 'requests.storage': '10Gi', [ofGold]: '2Gi' };
      await quota(world, 'one', hard);
      const claim = (name: string, storage: string, storageClassName: string): Thing => {
        const resources = { requests: { storage } };
        const spec = { accessModes: ['ReadWriteOnce'], resources, storageClassName };
        return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec };
      };
      const answers = await refusals(world, 'persistentvolumeclaims', [
        claim('a', '2Gi', 'gold'),
        claim('b', '1Gi', 'gold'),
        claim('c', '9Gi', 'iron'),
        claim('d', '1Gi', 'iron'),
      ]);
      return { answers, used: await used(world) };
    },
  },
  {
    title: 'quotas that count objects',
    async run(world) {
      const hard = { configmaps: '1', 'count/secrets': '1', 'count/deployments.apps': '0' };
      await quota(world, 'one', hard);
      const object = (kind: string, name: string): Thing => {
        return { apiVersion: 'v1', kind, metadata: { name } };
      };
      const maps = [object('ConfigMap', 'a'), object('ConfigMap', 'b')];
      const secrets = [object('Secret', 'a'), object('Secret', 'b')];
      const selector = { matchLabels: { a: 'b' } };
      const template = { metadata: { labels: { a: 'b' } }, spec: ofOne({}) };
      const spec = { selector, template };
      const deployment = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'a' },
        spec,
      };
      return [
        await refusals(world, 'configmaps', maps),
        await refusals(world, 'secrets', secrets),
        await outcome(things(world, 'apps/v1', 'deployments').create(deployment)),
        await used(world),
      ];
    },
  },
  {
    title: 'quotas of some pods only',
    async run(world) {
      const scoped = async (name: string, spec: Json): Promise<void> =>
        await quota(world, name, { pods: '1' }, spec);
      const selector = (scopeName: string, operator: string, values?: readonly string[]): Json => ({
        scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values && { values }) }] },
      });
      await scoped('best', { scopes: ['BestEffort'] });
      await scoped('ending', { scopes: ['Terminating', 'NotBestEffort'] });
      const critical = 'system-cluster-critical';
      await scoped('important', selector('PriorityClass', 'In', [critical]));
      await scoped('across', selector('CrossNamespacePodAffinity', 'Exists'));
      const term = { topologyKey: 'a', namespaces: ['x'], labelSelector: {} };
      const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
      const amounts = both('1', '1Mi');
      const twice = (name: string, spec: Json): Thing[] => [
        pod(`${name}1`, spec),
        pod(`${name}2`, spec),
      ];
      const answers = await refusals(world, 'pods', [
        ...twice('free', ofOne(amounts)),
        ...twice('best', ofOne({})),
        ...twice('ending', ofOne(amounts, { activeDeadlineSeconds: 5 })),
        ...twice('important', ofOne(amounts, { priorityClassName: critical })),
        ...twice('across', ofOne(amounts, { affinity })),
      ]);
      const all = await Promise.all(
        ['best', 'ending', 'important', 'across'].map((name) => used(world, name)),
      );
      return { answers, all };
    },
  },
];
