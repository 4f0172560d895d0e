import { badRequest, invalid, type FieldCause } from '../../meta/failure/failures.ts';
import type {
  ConnectAnswer,
  ConnectRequest,
  RestStorage,
} from '../../server/registry/contract/rest-storage.ts';
import type { SubresourceParts } from '../../server/registry/contract/subresource-parts.ts';
import { fieldForbidden, fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { textAt } from '../../meta/json-value.ts';
import { kubeletFailure } from './kubelet-address.ts';
import { containerOf } from './pod-container.ts';

const NO_CONTENT: ConnectAnswer = { status: 204, headers: {}, body: new Uint8Array() };

/** `pods/NAME/log`: what a container printed. A pod without a node has printed nothing. */
export function podLog(parts: SubresourceParts): RestStorage {
  const { store, nodes } = parts;
  return {
    describe: store.describe,
    table: store.table,
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
