import { SharedInformerFactory } from '../../cache/informer/factory/shared-informer-factory.ts';
import type { Client } from '../../client/rest/client.ts';
import { controller } from '../../controller/builder/controller-builder.ts';
import type { Controller } from '../../controller/builder/controller.ts';
import type { ControllerResult } from '../../controller/builder/run/controller-result.ts';
import { errorMessage } from '../../kernel/failure/errors.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { Stored } from '../../meta/stored.ts';
import { WITHIN_PROCESS } from '../resources/cluster-client.ts';
import type { ClusterParts } from '../resources/cluster-parts.ts';
import type { DiscoveredResources } from '../resources/discovered-resources.ts';
import { deletableResources, deleteContent, type RemainingContent } from './namespace-content.ts';

export interface NamespaceCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string | undefined;
}

/** The conditions of a namespace whose deletion meets no obstacle, as clients know them. */
const GOOD: readonly Pick<NamespaceCondition, 'type' | 'reason' | 'message'>[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  {
    type: 'NamespaceContentRemaining',
    reason: 'ContentRemoved',
    message: 'All content successfully removed',
  },
  {
    type: 'NamespaceFinalizersRemaining',
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
];

/** The conditions with what is left; undefined if they say it already. `discovery` is the failure to find the resources, if any. */
export function namespaceConditions(
  present: readonly NamespaceCondition[],
  content: RemainingContent,
  { now, discovery }: { readonly now: string; readonly discovery?: string | undefined },
): readonly NamespaceCondition[] | undefined {
  const bad = obstacles(content, discovery);
  let isChanged = false;
  const wanted = GOOD.map((good) => {
    const reason = bad.get(good.type);
    const condition =
      reason === undefined
        ? { ...good, status: 'False' }
        : { type: good.type, status: 'True', ...reason };
    const old = present.find(({ type }) => type === good.type);
    if (old !== undefined && isSame(old, condition)) return old;
    isChanged = true;
    const isTransition = old?.status !== condition.status;
    return { ...condition, lastTransitionTime: isTransition ? now : old.lastTransitionTime };
  });
  if (!isChanged) return undefined;
  const others = present.filter(({ type }) => !GOOD.some((good) => good.type === type));
  return [...others, ...wanted];
}

type Obstacle = Pick<NamespaceCondition, 'reason' | 'message'>;

function obstacles(
  { resources, finalizers, failures }: RemainingContent,
  discovery: string | undefined,
): ReadonlyMap<string, Obstacle> {
  const found = new Map<string, Obstacle>();
  if (discovery !== undefined) {
    const reason = 'DiscoveryFailed';
    found.set('NamespaceDeletionDiscoveryFailure', { reason, message: discovery });
  }
  if (failures.length > 0) {
    const texts = failures.toSorted().join(', ');
    found.set('NamespaceDeletionContentFailure', {
      reason: 'ContentDeletionFailed',
      message: `Failed to delete all resource types, ${failures.length} remaining: ${texts}`,
    });
  }
  if (resources.size > 0) {
    const texts = listed(resources, (name, count) => `${name} has ${count} resource instances`);
    found.set('NamespaceContentRemaining', {
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${texts}`,
    });
  }
  if (finalizers.size > 0) {
    const texts = listed(finalizers, (name, count) => `${name} in ${count} resource instances`);
    found.set('NamespaceFinalizersRemaining', {
      reason: 'SomeFinalizersRemain',
      message: `Some content in the namespace has finalizers remaining: ${texts}`,
    });
  }
  return found;
}

function listed(
  counts: ReadonlyMap<string, number>,
  text: (name: string, count: number) => string,
): string {
  const texts = [...counts].map(([name, count]) => text(name, count));
  return texts.toSorted().join(', ');
}

function isSame(one: NamespaceCondition, other: NamespaceCondition): boolean {
  return (['status', 'reason', 'message'] as const).every((field) => one[field] === other[field]);
}

interface Namespace extends UnstructuredObject {
  readonly spec?: { readonly finalizers?: readonly string[] | undefined } | undefined;
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly conditions?: readonly NamespaceCondition[] | undefined;
      }
    | undefined;
}

export interface NamespaceDeletionOptions extends ClusterParts {
  readonly client: Client;
  readonly served: Pick<DiscoveredResources, 'fresh'>;
}

/** The entry of `spec.finalizers` that keeps a namespace until its content is deleted. */
const CONTENT_FINALIZER = 'kubernetes';
/** As in kube-controller-manager (--concurrent-namespace-syncs). */
const WORKERS = 10;
/** Remaining content may vanish at any time: the next look comes after these times, which grow with the looks. */
const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 5000;

/**
 * The controller that deletes the content of deleted namespaces, and then the namespaces.
 *
 * Guarantees:
 * - A namespace goes only after a list of every resource that it may contain has found nothing.
 * - Its conditions say what keeps it.
 */
export function namespaceDeletion({
  client,
  served,
  runtime,
  logger,
}: NamespaceDeletionOptions): Controller<Namespace> {
  const looks = new Map<string, number>();
  /** Looks again, sooner at first. */
  const later = (uid: string): ControllerResult<Namespace> => {
    const look = looks.get(uid) ?? 0;
    looks.set(uid, look + 1);
    return { requeueAfterMs: Math.min(FIRST_LOOK_MS * 2 ** look, LAST_LOOK_MS) };
  };
  return controller<Namespace>(client, 'v1', 'namespaces', {
    name: 'namespace',
    concurrency: WORKERS,
    informers: new SharedInformerFactory(client, {
      firstList: 'newest',
      ...WITHIN_PROCESS,
      runtime,
      logger,
    }),
    runtime,
    logger,
  })
    .whenGone(({ uid }) => {
      if (uid !== undefined) looks.delete(uid);
      return Promise.resolve();
    })
    .reconcile(async (namespace, { signal }) => {
      const { name, uid } = namespace.metadata;
      if (!isGoing(namespace)) return {};
      const content = await emptied(client, served, name, signal);
      await report(client, namespace, content, { now: timestamp(runtime.wallMs()), signal });
      if (content.discovery !== undefined) return later(uid);
      if (content.resources.size > 0 || content.failures.length > 0) return later(uid);
      await finalize(client, name, uid, signal);
      return {};
    });
}

function isGoing({ metadata, spec }: Stored<Namespace>): boolean {
  const { deletionTimestamp } = metadata as { readonly deletionTimestamp?: unknown };
  return deletionTimestamp !== undefined && (spec?.finalizers ?? []).includes(CONTENT_FINALIZER);
}

interface EmptiedContent extends RemainingContent {
  /** Why not all resources could be found. */
  readonly discovery: string | undefined;
}

async function emptied(
  client: Client,
  served: Pick<DiscoveredResources, 'fresh'>,
  name: string,
  signal: AbortSignal,
): Promise<EmptiedContent> {
  try {
    const resources = deletableResources(await served.fresh());
    const content = await deleteContent(client, name, resources, signal);
    const { resources: left, finalizers, failures } = content;
    return { resources: left, finalizers, failures, discovery: undefined };
  } catch (error) {
    signal.throwIfAborted();
    const discovery = errorMessage(error);
    return { resources: new Map(), finalizers: new Map(), failures: [], discovery };
  }
}

async function report(
  client: Client,
  { metadata, status }: Stored<Namespace>,
  content: EmptiedContent,
  { now, signal }: { readonly now: string; readonly signal: AbortSignal },
): Promise<void> {
  const { discovery } = content;
  const conditions = namespaceConditions(status?.conditions ?? [], content, { now, discovery });
  if (conditions === undefined) return;
  const namespaces = client.resource<Namespace>('v1', 'namespaces', { signal });
  const { resourceVersion, uid, name } = metadata;
  // A list of conditions is replaced whole, so the write must not undo one that came meanwhile: a conflict is tried again.
  const patch = { metadata: { uid, resourceVersion }, status: { conditions } };
  try {
    await namespaces.patch(name, patch, { type: 'merge', subresource: 'status' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Removes the finalizer of the content; without another one, the namespace goes with it. */
async function finalize(
  client: Client,
  name: string,
  uid: string,
  signal: AbortSignal,
): Promise<void> {
  const namespaces = client.resource<Namespace>('v1', 'namespaces', { signal });
  try {
    const namespace = await namespaces.get(name);
    if (namespace.metadata.uid !== uid) return;
    const { finalizers = [] } = namespace.spec ?? {};
    const left = finalizers.filter((one) => one !== CONTENT_FINALIZER);
    await namespaces
      .subresource<Namespace>('finalize')
      .update(name, { ...namespace, spec: { ...namespace.spec, finalizers: left } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function timestamp(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
