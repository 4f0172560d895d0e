import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { stillThere } from '../../support/still-there.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';

interface Kafka extends KubernetesObject {
  /** The generation of the key of the authority. */
  readonly spec: { readonly caKey: number };
}

const API = 'kafka.strimzi.io/v1beta2';
const CLUSTER = 'strimzi.io/cluster';
const GENERATION = 'ca-key-generation';

/**
 * Replaces the key of an authority in steps: the brokers trust both keys, they get certificates by the new key, they no longer trust the
 * old one. Config maps stand for the secrets.
 */
function operator(renewsByGeneration: boolean) {
  return (client: Client, options: ControllerOptions) =>
    controller<Kafka>(client, API, 'kafkas', options)
      .owns('v1', 'configmaps')
      .reconcile(async (kafka, { resource, own }) => {
        if (!(await stillThere(resource(API, 'kafkas'), kafka))) return { requeueAfterMs: 1000 };
        const { metadata, spec } = kafka;
        const { name } = metadata;
        const maps = resource('v1', 'configmaps');
        // Keys are read from the server, as the operator of the bug does.
        const labelSelector = `${CLUSTER}=${name}`;
        const { items } = await maps.list({ labelSelector });
        const map = (part: string) =>
          items.find(({ metadata }) => metadata.name === `${name}-${part}`);
        const write = async (part: string, data: Record<string, string>, generation = wanted) => {
          const annotations = { [GENERATION]: generation };
          const metadata = { name: `${name}-${part}`, labels: { [CLUSTER]: name }, annotations };
          await maps.apply(own({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data } as const));
        };
        const wanted = String(spec.caKey);
        const before = map('ca')?.data?.['key'];
        const isReplaced = before !== wanted;
        const { key: signedBy = wanted } = map('brokers')?.data ?? {};
        const ofBrokers = map('brokers')?.metadata.annotations?.[GENERATION];
        if (isReplaced) {
          // Trust in both comes with the new key.
          const keys = new Set([before ?? wanted, wanted]);
          await write('trust', { keys: [...keys].join() });
          await write('ca', { key: wanted });
        }
        const renews = renewsByGeneration ? ofBrokers !== wanted : isReplaced;
        // The generation of the brokers is brought up in any case.
        await write('brokers', { key: renews ? wanted : signedBy });
        await write('trust', { keys: wanted });
        return;
      });
}

function data(state: ClusterState, part: string): Record<string, string> {
  return state.get('v1', 'configmaps', `events-${part}`, 'default')?.data ?? {};
}

function isAt(state: ClusterState, key: string): boolean {
  return data(state, 'brokers')['key'] === key && data(state, 'trust')['keys'] === key;
}

export const strimzi8401: KnownBug = {
  name: 'strimzi-8401',
  upstream: {
    project: 'strimzi/strimzi-kafka-operator',
    issue: 'https://github.com/strimzi/strimzi-kafka-operator/issues/8401',
    fix: 'a8c76d1752 (#8400)',
    summary:
      'When the key of an authority is replaced, only the run that replaces it issues new certificates. After a crash before that, the next ' +
      'run brings up the recorded generation alone, and then takes the trust in the old key away. The fix renews by the recorded generation.',
  },
  pattern: 'intermediate',
  world: { objects: [customResource({ apiVersion: API, kind: 'Kafka', plural: 'kafkas' })] },
  workload: [
    {
      title: 'a cluster with a first key',
      act: async (user) => {
        const metadata = { name: 'events', namespace: 'default' };
        const kafkas = user.resource<Kafka>(API, 'kafkas');
        await kafkas.create({ apiVersion: API, kind: 'Kafka', metadata, spec: { caKey: 1 } });
      },
      until: (state) => isAt(state, '1'),
    },
    {
      title: 'the key is replaced',
      act: async (user) => {
        const kafkas = user.resource(API, 'kafkas', { namespace: 'default' });
        await kafkas.patch('events', { spec: { caKey: 2 } });
      },
      until: (state) => isAt(state, '2'),
    },
  ],
  wrong: [operatorOf('strimzi', operator(false))],
  fixed: [operatorOf('strimzi', operator(true))],
  invariants: [
    {
      name: 'brokers have a certificate by a key that they trust',
      always: (state) => {
        const { key } = data(state, 'brokers');
        const { keys = '' } = data(state, 'trust');
        if (key === undefined || keys.split(',').includes(key)) return undefined;
        return `the certificate is by key ${key}, trusted are ${keys}`;
      },
    },
  ],
};
