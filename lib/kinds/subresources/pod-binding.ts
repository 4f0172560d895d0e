import { badRequest, conflict, type FieldCause } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { ObjectStore } from '../../server/registry/contract/object-store.ts';
import type {
  RequestContext,
  ResourceDescription,
  RestStorage,
  WriteOptions,
  WriteResult,
} from '../../server/registry/contract/rest-storage.ts';
import { serverStrategy } from '../../server/registry/contract/server-context.ts';
import type {
  ServerParts,
  SubresourceParts,
} from '../../server/registry/contract/subresource-parts.ts';
import { fieldNotSupported, fieldRequired } from '../../server/registry/rules/field-causes.ts';
import { recordAt, recordsAt, textAt } from '../../meta/json-value.ts';
import {
  checkNamed,
  joinedCauses,
  namedCreation,
  plainFailure,
  successStatus,
} from './named-creation.ts';
import { withPodCondition } from './pod-condition.ts';

const BINDING = { group: '', version: 'v1', kind: 'Binding' } as const;
const BINDINGS: ResourceDescription = {
  ...BINDING,
  resource: 'bindings',
  singular: 'binding',
  listKind: 'BindingList',
  namespaced: true,
  shortNames: [],
  categories: [],
};

/** `pods/NAME/binding`: places a pod on a node, as a scheduler does. */
export function podBinding({ store, runtime }: SubresourceParts): RestStorage {
  return namedCreation({
    of: store.describe,
    kind: BINDING,
    createNamed: async (context, name, binding, options) => {
      checkNamed(binding, name, 'Binding');
      return await bind(store, runtime.wallMs(), { context, name, binding, options });
    },
  });
}

/** `bindings`: the older form of `pods/NAME/binding`, with the name in the body. */
export function bindings({ storeOf, runtime }: ServerParts): RestStorage {
  return {
    describe: BINDINGS,
    create: async (context, binding, options) => {
      const name = textAt(binding, 'metadata', 'name');
      if (name === '') throw badRequest('Name parameter required.');
      const store = storeOf('', 'pods');
      if (store === undefined) throw badRequest('this server has no pods');
      return await bind(store, runtime.wallMs(), { context, name, binding, options });
    },
  };
}

interface BindingRequest {
  readonly context: RequestContext;
  readonly name: string;
  readonly binding: UnstructuredObject;
  readonly options: WriteOptions;
}

/**
 * Sets the node of a pod that has none.
 * @see pkg/registry/core/pod/storage BindingREST @ 24a394e
 */
async function bind(
  store: ObjectStore,
  nowMs: number,
  { context, name, binding, options }: BindingRequest,
): Promise<WriteResult> {
  const causes = bindingCauses(binding);
  if (causes.length > 0) throw plainFailure(joinedCauses(causes));
  await store.updateThrough(
    serverStrategy,
    context,
    name,
    (pod = {}) => bound(pod, binding, name, nowMs),
    { ...options, applied: true },
  );
  return successStatus();
}

function bindingCauses(binding: UnstructuredObject): FieldCause[] {
  const causes: FieldCause[] = [];
  const kind = textAt(binding, 'target', 'kind');
  if (kind !== '' && kind !== 'Node') {
    causes.push(fieldNotSupported('target.kind', kind, ['Node', '<empty>']));
  }
  if (textAt(binding, 'target', 'name') === '') causes.push(fieldRequired('target.name'));
  return causes;
}

/** @throws {ApiError} 409 for a pod that cannot be placed. */
function bound(
  pod: UnstructuredObject,
  binding: UnstructuredObject,
  name: string,
  nowMs: number,
): UnstructuredObject {
  const refusal = refusalOf(pod, name);
  if (refusal !== undefined) throw conflict({ group: '', resource: 'pods/binding' }, name, refusal);
  const { metadata } = pod;
  const status = withPodCondition(pod, { type: 'PodScheduled', status: 'True' }, nowMs);
  delete status['nominatedNodeName'];
  return {
    ...pod,
    metadata: {
      ...metadata,
      ...merged('labels', metadata?.labels, binding),
      ...merged('annotations', metadata?.annotations, binding),
      // As preconditions; without them every version of the pod is taken.
      uid: textAt(binding, 'metadata', 'uid') || metadata?.uid,
      resourceVersion: textAt(binding, 'metadata', 'resourceVersion') || metadata?.resourceVersion,
    },
    spec: { ...recordAt(pod, 'spec'), nodeName: textAt(binding, 'target', 'name') },
    status,
  };
}

function refusalOf(pod: UnstructuredObject, name: string): string | undefined {
  if (pod.metadata?.deletionTimestamp !== undefined) {
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  }
  const node = textAt(pod, 'spec', 'nodeName');
  if (node !== '') return `pod ${name} is already assigned to node ${JSON.stringify(node)}`;
  if (recordsAt(pod, 'spec', 'schedulingGates').length > 0) {
    return `pod ${name} has non-empty .spec.schedulingGates`;
  }
  return undefined;
}

/** The labels or annotations of the pod with those of the binding laid over them. */
function merged(
  field: 'labels' | 'annotations',
  own: Readonly<Record<string, string>> | undefined,
  binding: UnstructuredObject,
): object {
  const given = binding.metadata?.[field];
  return given === undefined ? {} : { [field]: { ...own, ...given } };
}
