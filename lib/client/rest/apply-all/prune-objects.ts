import { isNotFound } from '../../../meta/failure/failures.ts';
import type { Manifest } from '../../../meta/manifests/manifest.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { ApiResource } from '../discovery/api-resource.ts';
import type { AppliedObject, PruneOptions } from './apply-all-options.ts';
import { typed, type ApplyRun } from './apply-run.ts';
import { installRank } from './install-order.ts';

/** With them go objects that were never applied, so they are pruned only if they are asked for by name. */
const ONLY_IF_ASKED: ReadonlySet<string> = new Set(['namespaces', 'customresourcedefinitions']);

interface Candidate {
  readonly resource: ApiResource;
  readonly object: UnstructuredObject;
}

/** Deletes the objects with these labels that the field manager has applied and that have no manifest, the latest kinds first. */
export async function pruneObjects(
  run: ApplyRun,
  manifests: readonly Manifest[],
  prune: PruneOptions,
): Promise<void> {
  const { options } = run;
  const resources = await resourcesOf(run, manifests, prune);
  const kept = new Set(
    run.applied.map(({ apiVersion, kind, namespace, name }) =>
      idOf(apiVersion, kind, namespace, name),
    ),
  );
  const namespaces = new Set([options.namespace, ...manifests.map((one) => run.namespaceOf(one))]);
  const candidates: Candidate[] = [];
  for (const resource of resources.toSorted((one, other) => rankOf(other) - rankOf(one))) {
    for (const namespace of resource.namespaced ? namespaces : ['']) {
      for await (const object of run.target
        .resource(resource.apiVersion, resource.resource)
        .items({ namespace, labelSelector: prune.labelSelector, signal: options.signal })) {
        const { name = '', deletionTimestamp } = object.metadata ?? {};
        const isKept = kept.has(idOf(resource.apiVersion, resource.kind, namespace, name));
        if (isKept || deletionTimestamp !== undefined) continue;
        if (isAppliedBy(object, options.fieldManager)) candidates.push({ resource, object });
      }
    }
  }
  for (const one of candidates) {
    options.signal?.throwIfAborted();
    await remove(run, one);
  }
}

async function resourcesOf(
  { target, applied, options }: ApplyRun,
  manifests: readonly Manifest[],
  { kinds }: PruneOptions,
): Promise<readonly ApiResource[]> {
  const { signal } = options;
  const found = new Map<string, ApiResource>();
  if (kinds === undefined) {
    const unchecked = new Set(applied.filter((one) => one.result === 'unchecked').map(typeOf));
    for (const { object } of manifests) {
      if (unchecked.has(typeOf(object))) continue;
      const one = await target.discovery.find(object.apiVersion, object.kind, { signal });
      if (!ONLY_IF_ASKED.has(one.resource)) found.set(one.fullName, one);
    }
  } else {
    for (const kind of kinds) {
      const one = await target.discovery.named(kind, { signal });
      found.set(one.fullName, one);
    }
  }
  return [...found.values()].filter((one) => one.supports('list') && one.supports('delete'));
}

function typeOf({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): string {
  return `${apiVersion} ${kind}`;
}

async function remove(run: ApplyRun, { resource, object }: Candidate): Promise<void> {
  const { signal, dryRun } = run.options;
  const { apiVersion, kind } = resource;
  const { name = '', namespace, uid } = object.metadata ?? {};
  const about = { apiVersion, kind, namespace, name, place: 'pruned' };
  const pruned: AppliedObject = { ...about, result: 'pruned', object };
  try {
    await run.target.resource(apiVersion, resource.resource).delete(name, {
      namespace: namespace ?? '',
      signal,
      dryRun,
      preconditions: { uid },
      propagationPolicy: 'Background',
    });
    run.report(pruned, pruned);
  } catch (error) {
    signal?.throwIfAborted();
    if (isNotFound(error)) return;
    run.report(pruned, { ...about, result: 'failed', error: typed(error) });
  }
}

function rankOf({ apiVersion, kind }: ApiResource): number {
  return installRank(apiVersion, kind);
}

/** The versions of a group have the same objects. */
function idOf(
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
  name: string,
): string {
  const group = apiVersion.includes('/') ? apiVersion.split('/', 1)[0] : '';
  return JSON.stringify([group, kind, namespace ?? '', name]);
}

function isAppliedBy({ metadata }: UnstructuredObject, manager: string): boolean {
  const { managedFields } = (metadata ?? {}) as { readonly managedFields?: unknown };
  if (!Array.isArray(managedFields)) return false;
  return (
    managedFields as { manager?: unknown; operation?: unknown; subresource?: unknown }[]
  ).some(
    (one) => one.manager === manager && one.operation === 'Apply' && (one.subresource ?? '') === '',
  );
}
