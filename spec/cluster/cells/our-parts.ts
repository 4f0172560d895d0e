import { createSign } from 'node:crypto';
import { SharedInformerFactory } from '../../../lib/cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../../lib/client/rest/client.ts';
import { PublishedObject } from '../../../lib/cluster/accounts/published-object.ts';
import { defaultAccount, rootCertificates } from '../../../lib/cluster/accounts/publications.ts';
import { TokenSecrets, type AccountOfSecret } from '../../../lib/cluster/accounts/token-secrets.ts';
import { deployments } from '../../../lib/cluster/deployments/deployment-controller.ts';
import { endpoints } from '../../../lib/cluster/endpoints/endpoints-controller.ts';
import { mirroredEndpointSlices } from '../../../lib/cluster/endpoints/slices/mirroring-controller.ts';
import { endpointSlices } from '../../../lib/cluster/endpoints/slices/slices-controller.ts';
import { GarbageCollector } from '../../../lib/cluster/garbage/garbage-collector.ts';
import { namespaceDeletion } from '../../../lib/cluster/namespaces/namespace-deletion.ts';
import { nodeLifecycle } from '../../../lib/cluster/nodes/node-lifecycle.ts';
import { podGarbage } from '../../../lib/cluster/nodes/pod-garbage.ts';
import { taintEviction } from '../../../lib/cluster/nodes/taint-eviction.ts';
import {
  attributesClassesInUse,
  claimsInUse,
  volumesInUse,
} from '../../../lib/cluster/protection/claims-in-use.ts';
import { InUseProtection } from '../../../lib/cluster/protection/in-use-protection.ts';
import { QuotaUsage } from '../../../lib/cluster/quotas/quota-usage.ts';
import {
  replicaSets,
  replicationControllers,
} from '../../../lib/cluster/replicas/replica-controller.ts';
import type { ClusterPart } from '../../../lib/cluster/resources/cluster-parts.ts';
import { DiscoveredResources } from '../../../lib/cluster/resources/discovered-resources.ts';
import { ResourceMonitors } from '../../../lib/cluster/resources/resource-monitors.ts';
import { runningController } from '../../../lib/cluster/resources/running-controller.ts';
import type { WorkloadParts } from '../../../lib/cluster/resources/workload-parts.ts';
import { aggregatedRoles } from '../../../lib/cluster/roles/role-aggregation.ts';
import { Scheduler } from '../../../lib/cluster/scheduling/scheduler.ts';
import { EventRecorder } from '../../../lib/controller/events/event-recorder.ts';
import { silentLogger } from '../../../lib/kernel/report/logger.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';

const WORKLOADS = [
  aggregatedRoles,
  replicationControllers,
  replicaSets,
  deployments,
  endpoints,
  endpointSlices,
  mirroredEndpointSlices,
  nodeLifecycle,
  taintEviction,
  (parts: WorkloadParts): ClusterPart => podGarbage(parts),
];

const PARTS = { runtime: realRuntime, logger: silentLogger };

export interface Accounts {
  /** The certificates of the server, PEM. */
  readonly authority: string;
  /** The private key with which tokens of accounts are signed, PEM. */
  readonly key: string;
}

/** Starts the controllers of this package as clients of any server; the result ends them. */
export async function ourControllers(
  client: Client,
  { authority, key }: Accounts,
): Promise<() => Promise<void>> {
  const given = { client, ...PARTS };
  const sign = (subject: AccountOfSecret): string => token(subject, key);
  const served = new DiscoveredResources(client, PARTS);
  const events = new EventRecorder(client, {
    controller: 'garbage-collector-controller',
    api: 'v1',
    ...PARTS,
  });
  const monitors = new ResourceMonitors({ ...given, served });
  const upkeep: ClusterPart[] = [
    new PublishedObject({ ...given, publication: defaultAccount }),
    new PublishedObject({ ...given, publication: rootCertificates(authority) }),
    new TokenSecrets({ ...given, authority, sign }),
    served,
    runningController(namespaceDeletion({ ...given, served }), PARTS),
    new GarbageCollector({ ...given, served, monitors, events }),
    new QuotaUsage({ ...given, served, monitors }),
    ...[claimsInUse, volumesInUse, attributesClassesInUse].map(
      (kind) => new InUseProtection({ ...given, kind, monitors }),
    ),
    monitors,
  ];
  for (const part of upkeep) part.start();
  const end = startParts(client, WORKLOADS);
  return async () => {
    await end();
    await Promise.all(upkeep.map((part) => part[Symbol.asyncDispose]()));
    await events.close();
  };
}

/** Starts the scheduler of this package as a client of any server; the result ends it. */
export function ourScheduler(client: Client): () => Promise<void> {
  return startParts(client, [(parts) => new Scheduler(parts)]);
}

function startParts(
  client: Client,
  made: readonly ((parts: WorkloadParts) => ClusterPart)[],
): () => Promise<void> {
  const informers = new SharedInformerFactory(client, PARTS);
  informers.start();
  const parts = made.map((make) => make({ client, informers, ...PARTS }));
  for (const part of parts) part.start();
  return async () => {
    await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()));
    await informers[Symbol.asyncDispose]();
  };
}

/** A token as kube-controller-manager makes it for a secret. */
function token({ namespace, account, accountUid, secret }: AccountOfSecret, key: string): string {
  const claim = 'kubernetes.io/serviceaccount';
  const claims = {
    iss: 'kubernetes/serviceaccount',
    [`${claim}/namespace`]: namespace,
    [`${claim}/secret.name`]: secret,
    [`${claim}/service-account.name`]: account,
    [`${claim}/service-account.uid`]: accountUid,
    sub: `system:serviceaccount:${namespace}:${account}`,
  };
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
}
