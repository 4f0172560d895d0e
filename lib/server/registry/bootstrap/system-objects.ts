import { isAlreadyExists } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { builtInVersions, type BuiltInVersion } from '../../../meta/surface/built-in-surface.ts';
import type { ServerParts } from '../contract/subresource-parts.ts';
import { serverContext, serverStrategy } from '../contract/server-context.ts';
import { timestampOf } from '../rules/duration.ts';

/** An object that every server has at its start, and the part that only a status endpoint can set. */
interface SystemObject {
  readonly group: string;
  readonly resource: string;
  readonly object: UnstructuredObject;
  readonly status?: object | undefined;
}

const PRIORITY_CLASSES = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

/**
 * Creates what a kube-apiserver creates at its start and clients look at: priority classes, the service range, the APIServices of
 * its own groups. Objects that exist are left as they are. Kinds that are not served are left out.
 * @throws {ApiError} when the storage fails.
 */
export async function createSystemObjects({ storeOf, runtime }: ServerParts): Promise<void> {
  const context = serverContext('');
  const create = async ({ group, resource, object, status }: SystemObject): Promise<void> => {
    const store = storeOf(group, resource);
    if (store === undefined) return;
    try {
      await store.create(context, object);
    } catch (error) {
      if (isAlreadyExists(error)) return;
      throw error;
    }
    if (status === undefined) return;
    const { name = '' } = object.metadata ?? {};
    const withStatus = (existing: UnstructuredObject = {}): UnstructuredObject => ({
      ...existing,
      status,
    });
    await store.updateThrough(serverStrategy, context, name, withStatus);
  };
  await Promise.all(systemObjects(timestampOf(runtime.wallMs())).map(create));
}

function systemObjects(now: string): readonly SystemObject[] {
  return [
    ...PRIORITY_CLASSES.map(priorityClass),
    serviceRange(now),
    ...builtInVersions()
      .filter(({ groupPriority }) => groupPriority !== undefined)
      .map(apiService),
  ];
}

function priorityClass({
  name,
  value,
  description,
}: (typeof PRIORITY_CLASSES)[number]): SystemObject {
  return {
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    object: {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      description,
      preemptionPolicy: 'PreemptLowerPriority',
    },
  };
}

function serviceRange(now: string): SystemObject {
  const condition = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: now,
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  };
  return {
    group: 'networking.k8s.io',
    resource: 'servicecidrs',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: 'kubernetes' },
      spec: { cidrs: ['10.96.0.0/12'] },
    },
    status: { conditions: [condition] },
  };
}

/** The APIService of a group that this server serves itself; its creation sets the status. */
function apiService({
  group,
  version,
  groupPriority,
  versionPriority,
}: BuiltInVersion): SystemObject {
  return {
    group: 'apiregistration.k8s.io',
    resource: 'apiservices',
    object: {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: {
        name: `${version}.${group}`,
        labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' },
      },
      spec: {
        ...(group === '' ? {} : { group }),
        version,
        groupPriorityMinimum: groupPriority,
        versionPriority,
      },
    },
  };
}
