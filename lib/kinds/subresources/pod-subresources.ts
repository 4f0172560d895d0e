import type { UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import type {
  SubresourceFactory,
  SubresourceParts,
} from '../../server/registry/contract/subresource-parts.ts';
import { podBinding } from './pod-binding.ts';
import { podEviction } from './pod-eviction.ts';
import { podProxy } from './proxies.ts';
import { partialUpdate } from './partial-update.ts';
import { badRequest, invalid, forbidden, type FieldCause } from '../../meta/failure/failures.ts';
import type {
  ConnectAnswer,
  ConnectRequest,
  RestStorage,
} from '../../server/registry/contract/rest-storage.ts';
import { fieldForbidden, fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { textAt, recordsAt } from '../../meta/json-value.ts';
import { kubeletFailure } from './kubelet-address.ts';
import { connectStorage } from './connect-storage.ts';
import type { UnstructuredObject } from '../../meta/object.ts';

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/**
 * The container that a request is about: the named one, or the only one.
 * @throws {ApiError} 400.
 * @see pkg/registry/core/pod/strategy.go validateContainer @ 24a394e
 */
function containerOf(pod: UnstructuredObject, asked: string): string {
  const podName = pod.metadata?.name ?? '';
  const names = LISTS.flatMap((list) => namesIn(pod, list));
  if (asked !== '') {
    if (names.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${podName}`);
  }
  const [only, ...others] = namesIn(pod, 'containers');
  const missing = `a container name must be specified for pod ${podName}`;
  if (only === undefined) throw badRequest(missing);
  if (others.length > 0) throw badRequest(`${missing}, choose one of: [${names.join(' ')}]`);
  return only;
}

function namesIn(pod: UnstructuredObject, list: string): string[] {
  return recordsAt(pod, 'spec', list).map((container) => textAt(container, 'name'));
}

const OPTIONS = {
  exec: 'PodExecOptions',
  attach: 'PodAttachOptions',
  portforward: 'PodPortForwardOptions',
} as const;

const KUBELET_PATHS = { exec: 'exec', attach: 'attach', portforward: 'portForward' } as const;

/** `pods/NAME/exec`, `attach` and `portforward`: streams that a kubelet carries. */
function podStream(
  parts: SubresourceParts,
  action: 'exec' | 'attach' | 'portforward',
): RestStorage {
  const { store, nodes } = parts;
  return connectStorage(store, OPTIONS[action], {
    verbs: ['create', 'get'],
    takesPath: false,
    handle: async (context, name, request) => {
      // Streams are opened by GET as well, which a right to read must not be enough for.
      await context.authorize?.('create', (reason) => forbidden(store.describe, name, reason));
      const pod = (await store.get(context, name)).object;
      const asked = request.query.get('container') ?? '';
      const container = action === 'portforward' ? '' : containerOf(pod, asked);
      const answer = nodes.connect({ action, pod, container, request, context });
      if (answer !== undefined) return await answer;
      const node = textAt(pod, 'spec', 'nodeName');
      if (node === '') throw badRequest(`pod ${name} does not have a host assigned`);
      const end = container === '' ? '' : `/${container}`;
      const path = `/${KUBELET_PATHS[action]}/${context.namespace}/${name}${end}`;
      throw await kubeletFailure(parts, node, 'pods', path);
    },
  });
}

const NO_CONTENT: ConnectAnswer = { status: 204, headers: {}, body: new Uint8Array() };

/** `pods/NAME/log`: what a container printed. A pod without a node has printed nothing. */
function podLog(parts: SubresourceParts): RestStorage {
  const { store, nodes } = parts;
  return {
    describe: store.describe,
    connect: {
      verbs: ['get'],
      takesPath: false,
      handle: async (context, name, request) => {
        checkOptions(name, request);
        const pod = (await store.get(context, name)).object;
        const container = containerOf(pod, request.query.get('container') ?? '');
        const answer = nodes.connect({ action: 'log', pod, container, request, context });
        if (answer !== undefined) return await answer;
        const node = textAt(pod, 'spec', 'nodeName');
        if (node === '') return NO_CONTENT;
        const path = `/containerLogs/${context.namespace}/${name}/${container}`;
        throw await kubeletFailure(parts, node, 'pods', path);
      },
    },
  };
}

/**
 * @throws {ApiError} 400 for a number that cannot be read, 422 for one that is out of range.
 * @see pkg/apis/core/validation ValidatePodLogOptions @ 24a394e
 */
function checkOptions(name: string, { query }: ConnectRequest): void {
  const causes: FieldCause[] = [];
  const check = (field: string, least: 0 | 1): void => {
    const value = wholeNumber(query.get(field));
    if (value === undefined || value >= least) return;
    const rule = least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0';
    causes.push(fieldInvalid(field, value, rule));
  };
  check('tailLines', 0);
  check('limitBytes', 1);
  if (query.has('sinceSeconds') && query.has('sinceTime')) {
    const rule = 'at most one of `sinceTime` or `sinceSeconds` may be specified';
    causes.push(fieldForbidden('[]', rule));
  } else {
    check('sinceSeconds', 1);
  }
  if (query.has('stream')) causes.push(fieldForbidden('stream', 'may not be specified'));
  if (causes.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, causes);
}

/** @throws {ApiError} 400. */
function wholeNumber(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^[+-]?\d{1,15}$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/** How the kind changes a part of a pod. */
export interface PodStrategies {
  readonly ephemeralContainers: UpdateStrategy;
  readonly resize: UpdateStrategy;
}

/** The subresources of pods besides `status`. */
export function podSubresources({
  ephemeralContainers,
  resize,
}: PodStrategies): SubresourceFactory {
  return (parts) => ({
    attach: podStream(parts, 'attach'),
    binding: podBinding(parts),
    ephemeralcontainers: partialUpdate(parts.store, ephemeralContainers),
    eviction: podEviction(parts),
    exec: podStream(parts, 'exec'),
    log: podLog(parts),
    portforward: podStream(parts, 'portforward'),
    proxy: podProxy(parts),
    resize: partialUpdate(parts.store, resize),
  });
}
