import { parseFieldSelector } from '../../meta/selectors/field-selector.ts';
import { parseLabelSelector } from '../../meta/selectors/label-selector.ts';
import { badRequest, type FieldCause } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type {
  AccessDecision,
  AccessQuestion,
} from '../../server/registry/contract/access-parts.ts';
import type {
  RequestContext,
  RestStorage,
  WriteResult,
} from '../../server/registry/contract/rest-storage.ts';
import type { ServerParts } from '../../server/registry/contract/subresource-parts.ts';
import { userNamed, type UserInfo } from '../../server/registry/contract/user-info.ts';
import { DerivedObject } from '../../server/registry/rules/derived-object.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { qualifiedName } from '../../server/registry/rules/name-forms.ts';
import {
  attributesOf,
  localReviewCauses,
  selfReviewCauses,
  subjectReviewCauses,
} from './review-causes.ts';
import { invalidReview, reviewResource } from './review-resource.ts';

const GROUP = 'authorization.k8s.io';
const SELECTORS = ['fieldSelector', 'labelSelector'] as const;
type SelectorName = (typeof SELECTORS)[number];

/** `selfsubjectaccessreviews`: may I do this? */
export function selfSubjectAccessReviews(parts: ServerParts): RestStorage {
  return reviewResource({
    group: GROUP,
    kind: 'SelfSubjectAccessReview',
    create: async (context, review) =>
      await answered(parts, review, selfOf(context), selfReviewCauses(review)),
  });
}

/** `subjectaccessreviews`: may this user do that? */
export function subjectAccessReviews(parts: ServerParts): RestStorage {
  return reviewResource({
    group: GROUP,
    kind: 'SubjectAccessReview',
    create: async (_context, review) =>
      await answered(parts, review, subjectOf(review), subjectReviewCauses(review)),
  });
}

/** `localsubjectaccessreviews`: may this user do that in this namespace? */
export function localSubjectAccessReviews(parts: ServerParts): RestStorage {
  return reviewResource({
    group: GROUP,
    kind: 'LocalSubjectAccessReview',
    namespaced: true,
    create: async (context, review) => {
      const metadata = { ...review.metadata, namespace: context.namespace };
      const causes = localReviewCauses(review, context.namespace);
      return await answered(parts, { ...review, metadata }, subjectOf(review), causes);
    },
  });
}

/** `selfsubjectrulesreviews`: what may I do in this namespace? */
export function selfSubjectRulesReviews({ access }: ServerParts): RestStorage {
  return reviewResource({
    group: GROUP,
    kind: 'SelfSubjectRulesReview',
    create: async (context, review) => {
      const namespace = textAt(review, 'spec', 'namespace');
      if (namespace === '') throw badRequest('no namespace on request');
      const status = await access.authorizer.rulesOf(selfOf(context), namespace);
      return new DerivedObject('', {
        kind: 'SelfSubjectRulesReview',
        apiVersion: `${GROUP}/v1`,
        metadata: {},
        // The answer does not repeat the namespace.
        spec: {},
        status: { ...status },
      });
    },
  });
}

function selfOf({ user, identity }: RequestContext): UserInfo {
  return identity ?? userNamed(user);
}

function subjectOf(review: UnstructuredObject): UserInfo {
  const extra = recordAt(review, 'spec', 'extra') ?? {};
  return {
    username: textAt(review, 'spec', 'user'),
    uid: textAt(review, 'spec', 'uid'),
    groups: textsAt(review, 'spec', 'groups'),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)])),
  };
}

/** @throws {ApiError} 422. */
async function answered(
  { access }: ServerParts,
  review: UnstructuredObject,
  user: UserInfo,
  causes: readonly FieldCause[],
): Promise<WriteResult> {
  if (causes.length > 0) throw invalidReview(causes);
  const decision = await access.authorizer.authorize(questionOf(user, review));
  const evaluationError = selectorFaults(review);
  return new DerivedObject('', {
    ...review,
    metadata: review.metadata ?? {},
    status: {
      ...statusOf(decision),
      ...(evaluationError === '' ? {} : { evaluationError }),
    },
  });
}

/** @see pkg/registry/authorization/util/helpers.go AuthorizationAttributesFrom @ v1.36.3 */
function questionOf(user: UserInfo, review: UnstructuredObject): AccessQuestion {
  const { resource, nonResource } = attributesOf(review);
  const text = (name: string): string => textAt(resource, name);
  return {
    user,
    verb: textAt(resource ?? nonResource, 'verb'),
    isResource: resource !== undefined,
    path: textAt(nonResource, 'path'),
    group: text('group'),
    version: text('version') || '*',
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  };
}

/** The problems of selectors that cannot be parsed; they do not count then. */
function selectorFaults(review: UnstructuredObject): string {
  const { resource } = attributesOf(review);
  return SELECTORS.flatMap((name) => {
    const fault = selectorFault(name, recordAt(resource, name) ?? {});
    return fault === '' ? [] : [`spec.resourceAttributes.${name} ${fault} due to parse error`];
  }).join('; ');
}

function selectorFault(
  name: SelectorName,
  selector: JsonRecord,
): '' | 'ignored' | 'partially ignored' {
  const raw = textAt(selector, 'rawSelector');
  if (raw !== '') {
    try {
      if (name === 'fieldSelector') parseFieldSelector(raw);
      else parseLabelSelector(raw);
    } catch {
      return 'ignored';
    }
  }
  const requirements = recordsAt(selector, 'requirements');
  const readable = requirements.filter((one) => isRequirement(name, one)).length;
  if (readable === requirements.length) return '';
  return readable === 0 ? 'ignored' : 'partially ignored';
}

function isRequirement(name: SelectorName, requirement: JsonRecord): boolean {
  const operator = textAt(requirement, 'operator');
  const count = textsAt(requirement, 'values').length;
  const isSet = operator === 'In' || operator === 'NotIn';
  if (name === 'fieldSelector') return isSet && count === 1;
  if (qualifiedName(textAt(requirement, 'key')).length > 0) return false;
  if (isSet) return count > 0;
  return count === 0 && (operator === 'Exists' || operator === 'DoesNotExist');
}

function statusOf({ allowed, denied = false, reason = '' }: AccessDecision): JsonRecord {
  return {
    allowed,
    ...(denied ? { denied } : {}),
    ...(reason === '' ? {} : { reason }),
  };
}
