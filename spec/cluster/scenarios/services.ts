import type { Container, PodSpec, PolicyRule } from '../../../lib/types/index.ts';
import type { Scenario } from './scenario.ts';
import { ServicePlace } from './service-place.ts';

const API = 'rbac.authorization.k8s.io/v1';
const PODS: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const JOBS: PolicyRule = { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list'] };

function service(title: string, run: (at: ServicePlace) => Promise<unknown>): Scenario {
  return { title: `service: ${title}`, run: (world) => new ServicePlace(world).run(run) };
}

function listening(name: string, containerPort: number): Partial<PodSpec> {
  const container: Container = { name: 'main', image: 'web', ports: [{ name, containerPort }] };
  return { containers: [container] };
}

function ip(last: number): { readonly ips: readonly string[] } {
  return { ips: [`172.20.0.${last}`] };
}

async function aggregated(at: ServicePlace, ...rules: PolicyRule[]): Promise<string> {
  const { namespace } = at.world;
  for (const [index, rule] of rules.entries()) {
    const metadata = { name: `${namespace}-${index}`, labels: { of: namespace } };
    await at.roles.create({ apiVersion: API, kind: 'ClusterRole', metadata, rules: [rule] });
  }
  const name = `${namespace}-made`;
  const clusterRoleSelectors = [{ matchLabels: { of: namespace } }];
  await at.roles.create({
    apiVersion: API,
    kind: 'ClusterRole',
    metadata: { name },
    aggregationRule: { clusterRoleSelectors },
  });
  return name;
}

/** Endpoints and EndpointSlices of services, and the roles that are made of others. */
export const services: readonly Scenario[] = [
  service('has its ready pods, those that are not, and no others', async (at) => {
    await at.service({}, { labels: { tier: 'front' }, annotations: { note: 'x' } });
    await at.pod('a', ip(1));
    await at.pod('b', { ...ip(2), ready: false });
    await at.pod('c', { ...ip(3), labels: { app: 'db' } });
    await at.pod('d', {});
  }),
  service('without pods has an empty slice', async (at) => {
    await at.service();
  }),
  service('has its ports by number and by name', async (at) => {
    const ports = [
      { name: 'http', port: 80 },
      { name: 'https', port: 443, targetPort: 8443 },
      { name: 'grpc', port: 90, targetPort: 'grpc', appProtocol: 'kubernetes.io/h2c' },
      { name: 'dns', port: 53, protocol: 'UDP' as const },
    ];
    await at.service({ ports });
    await at.pod('a', { ...ip(1), spec: listening('grpc', 9090) });
    await at.pod('b', { ...ip(2), spec: listening('grpc', 9191) });
    await at.pod('c', ip(3));
  }),
  service('finds a named port in a sidecar, and not in another init container', async (at) => {
    await at.service({ ports: [{ port: 80, targetPort: 'side' }] });
    const init = (restartPolicy?: string): Partial<PodSpec> => ({
      initContainers: [
        { name: 'side', image: 'x', restartPolicy, ports: [{ name: 'side', containerPort: 7 }] },
      ],
    });
    await at.pod('a', { ...ip(1), spec: init('Always') });
    await at.pod('b', { ...ip(2), spec: init() });
  }),
  service('that is headless has hostnames, and needs no ports', async (at) => {
    await at.service({ clusterIP: 'None', ports: [] });
    await at.pod('a', { ...ip(1), spec: { hostname: 'a-0', subdomain: 'web' } });
    await at.pod('b', { ...ip(2), ready: false, spec: { hostname: 'b-0', subdomain: 'other' } });
  }),
  service('publishes addresses that are not ready', async (at) => {
    await at.service({ clusterIP: 'None', publishNotReadyAddresses: true });
    await at.pod('a', { ...ip(1), ready: false });
    await at.pod('b', { ...ip(2), ready: false });
    await at.pods.delete('b', { gracePeriodSeconds: 3000 });
  }),
  service('says of a pod that goes that it does', async (at) => {
    await at.service();
    await at.pod('a', ip(1));
    await at.pod('b', ip(2));
    await at.settled();
    await at.pods.delete('a', { gracePeriodSeconds: 3000 });
  }),
  service('has no pods that have ended', async (at) => {
    await at.service();
    await at.pod('a', { ...ip(1), phase: 'Succeeded', ready: false });
    await at.pod('b', { ...ip(2), phase: 'Failed', ready: false });
    await at.pod('c', ip(3));
  }),
  service('follows a pod from no address to ready', async (at) => {
    await at.service();
    await at.pod('a', { ready: false, phase: 'Pending' });
    const none = await at.settled();
    await at.state('a', { ...ip(1), ready: false });
    const some = await at.settled();
    await at.state('a', ip(1));
    return [none, some, await at.settled()];
  }),
  service('keeps its slice when its last pod is gone', async (at) => {
    await at.service();
    await at.pod('a', ip(1));
    await at.settled();
    await at.pods.delete('a', { gracePeriodSeconds: 0 });
  }),
  service('follows the labels of its pods, and its own', async (at) => {
    await at.service({}, { labels: { a: '1' } });
    await at.pod('a', ip(1));
    await at.pod('b', ip(2));
    await at.settled();
    await at.services.patch('web', { metadata: { labels: { a: '2', b: '3' } } });
    await at.pods.patch('a', { metadata: { labels: { app: 'db' } } });
  }),
  service('follows its selector', async (at) => {
    await at.service({ selector: { app: 'web', tier: 'front' } });
    await at.pod('a', { ...ip(1), labels: { app: 'web', tier: 'front' } });
    await at.pod('b', ip(2));
    const one = await at.settled();
    await at.services.patch('web', { spec: { selector: { tier: null } } });
    return [one, await at.settled()];
  }),
  service('shares a pod with another one', async (at) => {
    await at.service();
    await at.service({ ports: [{ port: 8080, targetPort: 80 }] }, {}, 'other');
    await at.pod('a', ip(1));
  }),
  service('takes its endpoints with it', async (at) => {
    await at.service();
    await at.service({}, {}, 'other');
    await at.pod('a', ip(1));
    await at.settled();
    await at.services.delete('web');
  }),
  service('gets Endpoints again that are deleted', async (at) => {
    await at.service();
    await at.pod('a', ip(1));
    await at.settled();
    await at.endpoints.delete('web');
  }),
  service('gets its slices again that are edited or deleted', async (at) => {
    await at.service();
    await at.pod('a', ip(1));
    await at.settled();
    const [edited] = (await at.slices.list()).items;
    await at.slices.patch(edited?.metadata.name ?? '', { endpoints: [] }, { type: 'merge' });
    const repaired = await at.settled();
    const [deleted] = (await at.slices.list()).items;
    await at.slices.delete(deleted?.metadata.name ?? '');
    return [repaired, await at.settled()];
  }),
  service('has 100 endpoints a slice', async (at) => {
    for (let last = 1; last <= 130; last += 1) await at.pod(`p${last}`, ip(last));
    await at.service();
    await at.settled();
    const { items } = await at.slices.list();
    const sizes = items.map(({ endpoints = [] }) => endpoints.length);
    return sizes.toSorted((one, other) => one - other);
  }),
  service('has two pods with one address', async (at) => {
    await at.service();
    await at.pod('a', ip(1));
    await at.pod('b', ip(1));
  }),
  service('leaves a pod out whose node is not there', async (at) => {
    await at.service();
    await at.pod('a', { ...ip(1), spec: { nodeName: 'nowhere' } });
    await at.pod('b', ip(2));
  }),
  ...(['PreferClose', 'PreferSameZone', 'PreferSameNode'] as const).map((trafficDistribution) =>
    service(`has the hints of ${trafficDistribution}, until it is taken away`, async (at) => {
      await at.service({ trafficDistribution });
      await at.pod('a', ip(1));
      await at.pod('b', { ...ip(2), ready: false });
      await at.pod('c', { ...ip(3), spec: { nodeName: at.node('east') } });
      const hinted = await at.settled();
      await at.services.patch('web', { spec: { trafficDistribution: null } });
      return [hinted, await at.settled()];
    }),
  ),
  service('that is a name of another domain has no endpoints', async (at) => {
    await at.service({ type: 'ExternalName', externalName: 'example.com', ports: [] });
    await at.pod('a', ip(1));
  }),
  service('without a selector has slices of its hand-written Endpoints', async (at) => {
    await at.service({ selector: {} });
    await at.write(
      [
        {
          addresses: [{ ip: '192.0.2.7' }, { ip: '2001:db8::7', hostname: 'h' }],
          notReadyAddresses: [{ ip: '192.0.2.8' }],
          ports: [
            { name: 'http', port: 80 },
            { name: 'a', port: 81 },
          ],
        },
        { addresses: [{ ip: '192.0.2.9' }], ports: [{ port: 99 }] },
      ],
      { labels: { l: '1' }, annotations: { a: '1' } },
    );
    const written = await at.settled();
    const subsets = [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 81 }] }];
    await at.endpoints.patch(
      'web',
      { subsets, metadata: { labels: { z: '1' } } },
      { type: 'merge' },
    );
    const changed = await at.settled();
    await at.services.patch('web', { spec: { selector: { app: 'web' } } });
    return [written, changed, await at.settled()];
  }),
  service('has no slices of Endpoints that say so', async (at) => {
    await at.service({ selector: {} });
    const labels = { 'endpointslice.kubernetes.io/skip-mirror': 'true' };
    await at.write([{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 80 }] }], { labels });
  }),
  service('roles: admin, edit and view have the rules of their parts', async (at) => {
    return [await at.rulesOf('admin'), await at.rulesOf('edit'), await at.rulesOf('view')];
  }),
  service('roles: one that is made of others follows them', async (at) => {
    const { namespace } = at.world;
    const name = await aggregated(at, PODS, JOBS, PODS);
    const all = await at.rulesOf(name);
    await at.roles.patch(`${namespace}-1`, { metadata: { labels: { of: 'other' } } });
    const less = await at.rulesOf(name);
    await at.roles.patch(name, { rules: [JOBS] }, { type: 'merge' });
    const repaired = await at.rulesOf(name);
    for (const index of [0, 1, 2]) await at.roles.delete(`${namespace}-${index}`);
    const none = await at.rulesOf(name);
    await at.roles.delete(name);
    return [all, less, repaired, none];
  }),
];
