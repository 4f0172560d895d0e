import type { Client } from '../../../../../lib/client/rest/client.ts';
import { controller } from '../../../../../lib/controller/builder/controller-builder.ts';
import type { ControllerOptions } from '../../../../../lib/controller/builder/controller-options.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type { SimulatedController } from '../../../../../lib/simulator/contract/simulated-controller.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { operatorOf } from '../../support/operator-of.ts';
import { creates } from '../../support/steps.ts';

interface ServiceMonitor extends KubernetesObject {
  readonly status?: { readonly bindings?: readonly string[] };
}

interface Prometheus extends KubernetesObject {
  readonly spec: { readonly operator: string };
}

const apiVersion = 'monitoring.coreos.com/v1';
const MONITOR = { apiVersion, kind: 'ServiceMonitor', plural: 'servicemonitors' };
const PROMETHEUS = { apiVersion, kind: 'Prometheus', plural: 'prometheuses' };

/** One of two operators: writes its servers into the status of the monitor that they read. */
function operator(name: string, locks: boolean): SimulatedController {
  return operatorOf(name, (client: Client, options: ControllerOptions) =>
    controller<Prometheus>(client, apiVersion, PROMETHEUS.plural, options)
      .watches<ServiceMonitor>(apiVersion, MONITOR.plural, () => [])
      .reconcile(async ({ metadata, spec }, { resource, lister }) => {
        if (spec.operator !== name) return;
        const monitors = resource<ServiceMonitor>(apiVersion, MONITOR.plural);
        const monitor = lister<ServiceMonitor>(apiVersion, MONITOR.plural)
          .namespace('default')
          .get('web');
        if (monitor === undefined) throw new Error('there is no monitor yet');
        const { bindings } = monitor.status ?? {};
        if (bindings?.includes(metadata.name) === true) return;
        const status = { bindings: [...(bindings ?? []), metadata.name] };
        if (bindings === undefined && !locks) {
          // The operations of a patch on the state of the server, whatever it is by now.
          const operations = [{ op: 'add', path: '/status', value: status }];
          await monitors.patch('web', operations, { type: 'json', subresource: 'status' });
          return;
        }
        await monitors.updateStatus({ ...monitor, status });
      }),
  );
}

function isBoundTo(state: ClusterState, names: readonly string[]): boolean {
  const monitor = state.get<ServiceMonitor>(apiVersion, MONITOR.plural, 'web', 'default');
  return names.every((name) => monitor?.status?.bindings?.includes(name));
}

export const prometheusOperator8028: KnownBug = {
  name: 'prometheus-operator-8028',
  upstream: {
    project: 'prometheus-operator/prometheus-operator',
    issue: 'https://github.com/prometheus-operator/prometheus-operator/issues/8028',
    fix: 'https://github.com/prometheus-operator/prometheus-operator/pull/8029',
    summary:
      'The first binding of a monitor is written by a patch that adds the whole status. When another one was written meanwhile, it is overwritten. ' +
      'The fix updates the status with the version that was read. Here two operators write, which do not look at the monitor again.',
  },
  pattern: 'conflict',
  world: {
    objects: [
      customResource(MONITOR),
      customResource(PROMETHEUS),
      { apiVersion, kind: 'ServiceMonitor', metadata: { name: 'web', namespace: 'default' } },
    ],
  },
  workload: [
    creates(PROMETHEUS, 'first', { operator: 'one' }, (state) => isBoundTo(state, ['first'])),
    creates(PROMETHEUS, 'second', { operator: 'two' }, (state) =>
      isBoundTo(state, ['first', 'second']),
    ),
    creates(PROMETHEUS, 'third', { operator: 'two' }, (state) =>
      isBoundTo(state, ['first', 'second', 'third']),
    ),
  ],
  wrong: [operator('one', false), operator('two', false)],
  fixed: [operator('one', true), operator('two', true)],
  invariants: [
    {
      name: 'the monitor names all servers',
      eventually: (state) => isBoundTo(state, ['first', 'second', 'third']),
    },
  ],
};
