import type { Scenario } from './scenario.ts';
import {
  outcome,
  type Found,
  type Json,
  type ScenarioWorld,
  type Thing,
} from './scenario-world.ts';

const QUOTAS = 'v1/resourcequotas';
const CLAIMS = 'v1/persistentvolumeclaims';
const ROOT_CERTIFICATES = 'kube-root-ca.crt';

/** The status of ResourceQuotas as a controller writes it. */
export const quotas: readonly Scenario[] = [
  {
    title: 'a new quota gets its limits, and what is used already',
    run: async (world) => {
      await rootCertificates(world);
      await world.map('a');
      await pod(world, 'a', { requests: { cpu: '300m', memory: '1Gi' }, limits: { cpu: '1' } });
      await pod(world, 'b', { requests: { cpu: '700m', memory: '1Gi' } });
      await service(world, 'a', { type: 'NodePort' });
      await claim(world, 'a', '1Gi', 'gold');
      await claim(world, 'b', '1500Mi', 'iron');
      const ofGold = 'gold.storageclass.storage.k8s.io/requests.storage';
      await quota(world, {
        pods: '10',
        'count/pods': '10',
        'requests.cpu': '4',
        cpu: '4000m',
        memory: '8Gi',
        'limits.cpu': '4',
        'requests.storage': '5Gi',
        [ofGold]: '2Gi',
        services: '3',
        'services.nodeports': '3',
        configmaps: '5',
        'count/secrets': '5',
        resourcequotas: '2',
      });
      return shown(await untilCalculated(world));
    },
  },
  {
    title: 'a quota that counts what is not there has no usage for it',
    run: async (world) => {
      await quota(world, {
        'count/nothing.example.com': '1',
        'requests.example.com/gpu': '1',
        'example.com/gpu': '1',
        'count/namespaces': '1',
        'count/configmaps': '0',
      });
      await rootCertificates(world);
      return shown(await untilCalculated(world));
    },
  },
  {
    title: 'a quota whose limits change is calculated again',
    run: async (world) => {
      await pod(world, 'a', { requests: { cpu: '300m' } });
      await quota(world, { pods: '1', services: '1' });
      const first = await untilCalculated(world);
      await world.of(QUOTAS).patch('one', {
        spec: { hard: { pods: '2', services: null, 'requests.cpu': '1' } },
      });
      const second = await untilUsed(world, { pods: '1', 'requests.cpu': '300m' });
      return [first.status, second.status];
    },
  },
  {
    title: 'what is deleted is given back',
    run: async (world) => {
      await quota(world, { 'count/secrets': '1', 'count/pods': '1', pods: '1', services: '1' });
      await untilUsed(world, { 'count/secrets': '0', 'count/pods': '0', pods: '0', services: '0' });
      await secret(world, 'a');
      await pod(world, 'a', {});
      await service(world, 'a', {});
      await untilUsed(world, { 'count/secrets': '1', 'count/pods': '1', pods: '1', services: '1' });
      const refused = await outcome(secret(world, 'b'));
      await world.of('v1/secrets').delete('a');
      await world.of('v1/pods').delete('a', { gracePeriodSeconds: 0 });
      await world.of('v1/services').delete('a');
      await untilUsed(world, { 'count/secrets': '0', 'count/pods': '0', pods: '0', services: '0' });
      await secret(world, 'b');
      const last = await untilUsed(world, {
        'count/secrets': '1',
        'count/pods': '0',
        pods: '0',
        services: '0',
      });
      return { refused, last: shown(last) };
    },
  },
  {
    title: 'a pod that has ended is given back, and is an object still',
    run: async (world) => {
      await quota(world, { 'count/pods': '2', pods: '1', 'requests.cpu': '1' });
      await untilUsed(world, { 'count/pods': '0', pods: '0', 'requests.cpu': '0' });
      await pod(world, 'a', { requests: { cpu: '1' } });
      const status = { phase: 'Succeeded' };
      await world.of('v1/pods').patch('a', { status }, { type: 'merge', subresource: 'status' });
      const used = { 'count/pods': '1', pods: '0', 'requests.cpu': '0' };
      return (await untilUsed(world, used)).status;
    },
  },
  {
    title: 'a service that needs no node port any more gives it back',
    run: async (world) => {
      await quota(world, { services: '2', 'services.nodeports': '2' });
      await untilUsed(world, { services: '0', 'services.nodeports': '0' });
      await service(world, 'a', { type: 'NodePort' });
      await untilUsed(world, { services: '1', 'services.nodeports': '1' });
      await world.of('v1/services').patch('a', { spec: { type: 'ClusterIP' } });
      return (await untilUsed(world, { services: '1', 'services.nodeports': '0' })).status;
    },
  },
  {
    title: 'a quota with scopes counts the pods in all of them, and nothing else',
    run: async (world) => {
      await pod(world, 'free', {});
      await pod(world, 'busy', { requests: { cpu: '1' } });
      await pod(world, 'ending', { requests: { cpu: '1' } }, { activeDeadlineSeconds: 600 });
      await quota(world, { pods: '5' }, { scopes: ['NotBestEffort', 'NotTerminating'] });
      const first = await untilCalculated(world);
      await world.of('v1/pods').patch('busy', { spec: { activeDeadlineSeconds: 600 } });
      return [first.status, (await untilUsed(world, { pods: '0' })).status];
    },
  },
  {
    title: 'a usage that a client has written is corrected when something is given back',
    run: async (world) => {
      await secret(world, 'a');
      await secret(world, 'b');
      await quota(world, { 'count/secrets': '9' });
      await untilUsed(world, { 'count/secrets': '2' });
      const status = { used: { 'count/secrets': '7' } };
      await world.of(QUOTAS).patch('one', { status }, { type: 'merge', subresource: 'status' });
      await world.of('v1/secrets').delete('a');
      return (await untilUsed(world, { 'count/secrets': '1' })).status;
    },
  },
  {
    title:
      'the limits that a client has written over those of the spec stay until the next calculation',
    run: async (world) => {
      await secret(world, 'a');
      await quota(world, { 'count/secrets': '9' });
      await untilUsed(world, { 'count/secrets': '1' });
      const status = { hard: { 'count/secrets': '1' } };
      await world.of(QUOTAS).patch('one', { status }, { type: 'merge', subresource: 'status' });
      await world.sleep(3000);
      const refused = await outcome(secret(world, 'b'));
      await world.of('v1/secrets').delete('a');
      return { refused, last: (await untilUsed(world, { 'count/secrets': '0' })).status };
    },
  },
  {
    title: 'custom objects are counted, and given back',
    run: async (world) => {
      const counted = `count/gadgets.${world.group}`;
      await world.gadget('a');
      await world.gadget('b');
      await quota(world, { [counted]: '3' });
      await untilUsed(world, { [counted]: '2' });
      await world.of(`${world.group}/v1/gadgets`).delete('a');
      return (await untilUsed(world, { [counted]: '1' })).status;
    },
  },
];

async function quota(world: ScenarioWorld, hard: Json, spec: Json = {}): Promise<void> {
  const metadata = { name: 'one' };
  const body = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard, ...spec } };
  await world.of(QUOTAS).create(body);
}

/** Every namespace gets this map soon after it was made. */
async function rootCertificates(world: ScenarioWorld): Promise<void> {
  await world.untilIs(ROOT_CERTIFICATES, () => true);
}

async function pod(
  world: ScenarioWorld,
  name: string,
  resources: Json,
  spec: Json = {},
): Promise<void> {
  // A pod needs the account of its namespace.
  await world.untilIs('default', () => true, 'v1/serviceaccounts');
  const containers = [{ name: 'web', image: 'web:1', resources }];
  const body: Thing = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers, ...spec },
  };
  await world.of('v1/pods').create(body);
}

async function secret(world: ScenarioWorld, name: string): Promise<unknown> {
  return await world
    .of('v1/secrets')
    .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
}

async function service(world: ScenarioWorld, name: string, spec: Json): Promise<void> {
  const given = { ports: [{ port: 80 }], selector: { a: 'b' }, ...spec };
  await world
    .of('v1/services')
    .create({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: given });
}

async function claim(
  world: ScenarioWorld,
  name: string,
  storage: string,
  storageClassName: string,
): Promise<void> {
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage } },
    storageClassName,
  };
  await world
    .of(CLAIMS)
    .create({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec });
}

interface Status {
  readonly hard?: Json | undefined;
  readonly used?: Json | undefined;
}

function statusOf({ status }: Thing): Status {
  return status ?? {};
}

async function untilCalculated(world: ScenarioWorld): Promise<Found> {
  return await world.untilIs('one', (found) => statusOf(found).hard !== undefined, QUOTAS);
}

async function untilUsed(world: ScenarioWorld, used: Json): Promise<Found> {
  const entries = Object.entries(used);
  return await world.untilIs(
    'one',
    (found) => {
      const present = statusOf(found).used ?? {};
      const isSame = entries.every(([name, amount]) => present[name] === amount);
      return isSame && Object.keys(present).length === entries.length;
    },
    QUOTAS,
  );
}

/** The status, and which fields the cluster has written. */
function shown({ status, metadata }: Thing): Json {
  const { managedFields: fields = [] } = (metadata ?? {}) as {
    readonly managedFields?: readonly Json[] | undefined;
  };
  const ofCluster = fields.filter(({ manager }) => String(manager).startsWith('kube-'));
  const managers = ofCluster.map(({ manager, operation, subresource, fieldsV1 }) =>
    JSON.stringify({ manager, operation, subresource, fieldsV1 }),
  );
  // Their order is that of their times, which are whole seconds.
  return { status, managers: managers.toSorted() };
}
