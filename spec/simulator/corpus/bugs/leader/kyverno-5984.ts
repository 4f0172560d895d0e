import { LeaderElector } from '../../../../../lib/controller/election/leader-elector.ts';
import type { Reconcile } from '../../../../../lib/controller/runtime/reconcile-loop.ts';
import { isListwatchError } from '../../../../../lib/kernel/failure/errors.ts';
import { splitMetaNamespaceKey } from '../../../../../lib/meta/key.ts';
import type { KubernetesObject } from '../../../../../lib/meta/object.ts';
import type {
  Incarnation,
  SimulatedController,
} from '../../../../../lib/simulator/contract/simulated-controller.ts';
import type { ClusterState } from '../../../../../lib/simulator/contract/world.ts';
import type { KnownBug } from '../../known-bug.ts';
import { customResource } from '../../support/custom-resource.ts';
import { runLoop, type LoopParts } from '../../support/operator-of.ts';
import { creates } from '../../support/steps.ts';
import { stillThere } from '../../support/still-there.ts';

const apiVersion = 'kyverno.io/v1';
const POLICY = { apiVersion, kind: 'Policy', plural: 'policies' };
const REPORT = { apiVersion, kind: 'PolicyReport', plural: 'policyreports' };

/** Makes one report for each policy. It asks the server, so that it may be the work of a new leader at any time, but not of two. */
function setUp({ client, informers, queue }: LoopParts): Reconcile {
  const policies = informers.for(apiVersion, POLICY.plural);
  policies.addHandler({ view: 'key', onAdd: ({ key }) => queue.add(key) });
  return async ({ key }) => {
    const { namespace, name } = splitMetaNamespaceKey(key);
    const policy = policies.lister.namespace(namespace).get(name);
    if (policy === undefined) return;
    if (!(await stillThere(client.resource(apiVersion, POLICY.plural, { namespace }), policy)))
      return;
    const reports = client.resource(apiVersion, REPORT.plural, { namespace });
    const { items } = await reports.list({ labelSelector: `policy=${name}` });
    if (items.length > 0) return;
    const metadata = { generateName: `${name}-`, labels: { policy: name } };
    await reports.create({ apiVersion, kind: REPORT.kind, metadata });
  };
}

/** Takes part in elections until it is stopped, and works while it leads. */
function replica(endsWithTheLease: boolean): SimulatedController {
  const name = 'policy-reports';
  return {
    name,
    replicas: 2,
    run: async (incarnation: Incarnation) => {
      const { client, runtime, logger, signal, identity } = incarnation;
      while (!signal.aborted) {
        const elector = new LeaderElector(client, {
          name,
          namespace: 'default',
          identity,
          fencing: 'strict',
          runtime,
          logger,
        });
        try {
          await elector.run({
            signal,
            lead: async (lead) => {
              const own = endsWithTheLease
                ? { client: client.fencedBy(lead.lease), signal: lead.signal }
                : { client, signal };
              await runLoop(name, { ...incarnation, ...own }, setUp);
            },
          });
        } catch (error) {
          if (!isListwatchError(error) || error.code !== 'LEADERSHIP_LOST') throw error;
        }
      }
    },
  };
}

function hasReport(state: ClusterState, policy: string): boolean {
  const reports = state.list(apiVersion, REPORT.plural);
  return reports.some(({ metadata }: KubernetesObject) => metadata?.labels?.['policy'] === policy);
}

export const kyverno5984: KnownBug = {
  name: 'kyverno-5984',
  upstream: {
    project: 'kyverno/kyverno',
    issue: 'https://github.com/kyverno/kyverno/issues/5984',
    fix: 'https://github.com/kyverno/kyverno/pull/14984',
    summary:
      'The controllers of the leader end with the process, not with the lease. A replica that has lost the lease goes on beside the new leader. The ' +
      'fix, which describes the same defect years later, lets them end with the lease. Here their writes carry the lease too.',
  },
  pattern: 'leader',
  world: { objects: [customResource(POLICY), customResource(REPORT)] },
  workload: ['images', 'labels', 'limits', 'probes'].map((policy) =>
    creates(POLICY, policy, {}, (state) => hasReport(state, policy)),
  ),
  wrong: [replica(false)],
  fixed: [replica(true)],
  invariants: [
    {
      name: 'one report for each policy',
      always: (state) => {
        const reports = state.list(apiVersion, REPORT.plural);
        const policies = reports.map(({ metadata }) => metadata?.labels?.['policy']);
        const twice = policies.find((policy, index) => policies.indexOf(policy) !== index);
        return twice === undefined ? undefined : `${twice} has two reports`;
      },
    },
  ],
};
