import type { KubernetesMinor } from '../../meta/releases/kubernetes-releases.ts';
import { causesOfVersion, type CauseChange } from '../../server/registry/rules/cause-changes.ts';
import { parseFieldSelector } from '../../meta/selectors/field-selector.ts';
import { parseLabelSelector } from '../../meta/selectors/label-selector.ts';
import { badRequest, invalid, type FieldCause } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type {
  AccessDecision,
  AccessQuestion,
} from '../../server/registry/contract/access-parts.ts';
import type {
  RequestContext,
  RestStorage,
  WriteResult,
  ResourceDescription,
} from '../../server/registry/contract/rest-storage.ts';
import type { ServerParts } from '../../server/registry/contract/subresource-parts.ts';
import { userNamed, type UserInfo } from '../../server/registry/contract/user-info.ts';
import { DerivedObject } from '../../server/registry/rules/derived-object.ts';
import { recordAt, recordsAt, textAt, textsAt, type JsonRecord } from '../../meta/json-value.ts';
import { qualifiedName } from '../../server/registry/rules/name-forms.ts';
import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { causesOf, type Check } from '../../server/registry/validation/check.ts';
import { each, fields } from '../../server/registry/validation/combine.ts';
import { selectorRequirement } from '../../server/registry/validation/label-selector-checks.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';

interface ReviewOptions {
  readonly group: 'authentication.k8s.io' | 'authorization.k8s.io';
  readonly kind: string;
  /** @defaultValue false */
  readonly namespaced?: boolean | undefined;
  readonly create: NonNullable<RestStorage['create']>;
}

/** A resource that answers questions: its only verb is `create`, and nothing is stored. */
function reviewResource({ group, kind, namespaced = false, create }: ReviewOptions): RestStorage {
  const singular = kind.toLowerCase();
  const describe: ResourceDescription = {
    group,
    version: 'v1',
    kind,
    resource: `${singular}s`,
    singular,
    listKind: `${kind}List`,
    namespaced,
    shortNames: [],
    categories: [],
  };
  if (namespaced) return { describe, create };
  return {
    describe,
    create: async (context, review, options) =>
      await create(context, withoutNamespace(review), options),
  };
}

function withoutNamespace(review: UnstructuredObject): UnstructuredObject {
  if (review.metadata?.namespace === undefined) return review;
  const { namespace: _, ...metadata } = review.metadata;
  return { ...review, metadata };
}

const ONE_KIND = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';

/** That a review does not have one kind of attributes is named at its spec. */
const CHANGES: readonly CauseChange[] = [
  {
    since: 37,
    fields: ['spec.resourceAttributes'],
    from: /exactly one of/,
    to: '$&',
    field: [/\.resourceAttributes$/, ''],
    isDeclared: false,
  },
  {
    since: 37,
    fields: ['spec.nonResourceAttributes'],
    from: /cannot be specified in combination with .*/,
    to: ONE_KIND,
    field: [/\.nonResourceAttributes$/, ''],
    isDeclared: false,
  },
];

/** 422 of a review, in which kube-apiserver names no kind. */
function invalidReview(minor: KubernetesMinor, causes: readonly FieldCause[]): Error {
  const worded = causesOfVersion({ minor, causeChanges: CHANGES }, causes);
  return invalid({ group: 'authorization.k8s.io', kind: '' }, '', worded);
}

const AUTHENTICATION = 'authentication.k8s.io';

/** `tokenreviews`: whose token is this? */
export function tokenReviews({ access }: ServerParts): RestStorage {
  return reviewResource({
    group: AUTHENTICATION,
    kind: 'TokenReview',
    create: async (_context, review) => {
      const token = textAt(review, 'spec', 'token');
      if (token === '') throw badRequest('token is required for TokenReview in authentication');
      const verdict = await access.authenticate(token, textsAt(review, 'spec', 'audiences'));
      const status =
        'user' in verdict
          ? { authenticated: true, user: shown(verdict.user), audiences: verdict.audiences }
          : { user: {}, error: verdict.error };
      return new DerivedObject('', { ...review, metadata: review.metadata ?? {}, status });
    },
  });
}

/** `selfsubjectreviews`: who am I? */
export function selfSubjectReviews({ runtime }: ServerParts): RestStorage {
  return reviewResource({
    group: AUTHENTICATION,
    kind: 'SelfSubjectReview',
    create: ({ user, identity }) => {
      const review = {
        kind: 'SelfSubjectReview',
        apiVersion: `${AUTHENTICATION}/v1`,
        metadata: { creationTimestamp: timestampOf(runtime.wallMs()) },
        status: { userInfo: shown(identity ?? userNamed(user)) },
      };
      return Promise.resolve(new DerivedObject('', review));
    },
  });
}

function shown({ username, uid = '', groups, extra = {} }: UserInfo): object {
  return {
    username,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The attributes of a review. */
interface ReviewAttributes {
  readonly resource: JsonRecord | undefined;
  readonly nonResource: JsonRecord | undefined;
}

function attributesOf(review: UnstructuredObject): ReviewAttributes {
  return {
    resource: recordAt(review, 'spec', 'resourceAttributes'),
    nonResource: recordAt(review, 'spec', 'nonResourceAttributes'),
  };
}

/** The faults of a SelfSubjectAccessReview. @see pkg/apis/authorization/validation @ v1.36.3 */
function selfReviewCauses(review: UnstructuredObject): FieldCause[] {
  return [...attributeCauses(review), ...selectorCauses(review), ...metadataCauses(review, '')];
}

/** The faults of a SubjectAccessReview. */
function subjectReviewCauses(review: UnstructuredObject): FieldCause[] {
  return [...specCauses(review), ...metadataCauses(review, '')];
}

/** The faults of a LocalSubjectAccessReview in a namespace. */
function localReviewCauses(review: UnstructuredObject, namespace: string): FieldCause[] {
  const { resource, nonResource } = attributesOf(review);
  const causes = [...specCauses(review), ...metadataCauses(review, namespace)];
  const asked = textAt(resource, 'namespace');
  if (resource !== undefined && asked !== namespace) {
    const rule = 'must match metadata.namespace';
    causes.push(fieldInvalid('spec.resourceAttributes.namespace', asked, rule));
  }
  if (nonResource !== undefined) {
    const rule = 'disallowed on this kind of request';
    causes.push(fieldInvalid('spec.nonResourceAttributes', goForm(nonResource), rule));
  }
  return causes;
}

function attributeCauses(review: UnstructuredObject): FieldCause[] {
  const { resource, nonResource } = attributesOf(review);
  if (resource !== undefined && nonResource !== undefined) {
    const rule = 'cannot be specified in combination with resourceAttributes';
    return [fieldInvalid('spec.nonResourceAttributes', goForm(nonResource), rule)];
  }
  if (resource !== undefined || nonResource !== undefined) return [];
  return [fieldInvalid('spec.resourceAttributes', null, ONE_KIND)];
}

/** The attributes with the names of their Go fields, as messages show them. */
function goForm(nonResource: JsonRecord): object {
  return { Path: textAt(nonResource, 'path'), Verb: textAt(nonResource, 'verb') };
}

function specCauses(review: UnstructuredObject): FieldCause[] {
  const causes = attributeCauses(review);
  const named = textAt(review, 'spec', 'user') !== '';
  if (!named && textsAt(review, 'spec', 'groups').length === 0) {
    causes.push(fieldInvalid('spec.user', '', 'at least one of user or group must be specified'));
  }
  return [...causes, ...selectorCauses(review)];
}

const selector =
  (requirement: Check): Check =>
  (value, path, report) => {
    const raw = textAt(value, 'rawSelector');
    const count = recordsAt(value, 'requirements').length;
    if (raw !== '' && count > 0) {
      const rule = 'may not specified at the same time as requirements';
      report.invalid(`${path}.rawSelector`, raw, rule);
    }
    if (value !== undefined && raw === '' && count === 0) {
      const rule = `when ${path} is specified, requirements or rawSelector is required`;
      report.required(`${path}.requirements`, rule);
    }
    fields({ requirements: each(requirement) })(value, path, report);
  };

const fieldRequirement: Check = (value, path, report) => {
  if (textAt(value, 'key') === '') report.required(`${path}.key`, 'must be specified');
  const operator = textAt(value, 'operator');
  const count = textsAt(value, 'values').length;
  if ((operator === 'In' || operator === 'NotIn') && count === 0) {
    const rule = "must be specified when `operator` is 'In' or 'NotIn'";
    report.required(`${path}.values`, rule);
  } else if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
    const rule = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    report.forbidden(`${path}.values`, rule);
  }
};

/** Operators that this server does not know may come from newer clients. */
const selectors = fields({
  spec: fields({
    resourceAttributes: fields({
      fieldSelector: selector(fieldRequirement),
      labelSelector: selector(selectorRequirement({ anyOperator: true })),
    }),
  }),
});

function selectorCauses(review: UnstructuredObject): FieldCause[] {
  return causesOf(selectors, review);
}

/** A review has no metadata; a local one has its namespace. */
function metadataCauses(review: UnstructuredObject, namespace: string): FieldCause[] {
  const { namespace: _own, managedFields: _fields, ...rest } = recordAt(review, 'metadata') ?? {};
  if (Object.keys(rest).length === 0) return [];
  const rule = namespace === '' ? 'must be empty' : 'must be empty except for namespace';
  return [fieldInvalid('metadata', rest, rule)];
}

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
  { minor, access }: ServerParts,
  review: UnstructuredObject,
  user: UserInfo,
  causes: readonly FieldCause[],
): Promise<WriteResult> {
  if (causes.length > 0) throw invalidReview(minor, causes);
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
