import type { RemainingContent } from './namespace-content.ts';

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
