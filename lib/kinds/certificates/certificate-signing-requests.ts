import type { UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import { recordAt, recordsAt, textAt, valueAt, type JsonRecord } from '../../meta/json-value.ts';
import { causesOf, checkedBy, type Check } from '../../server/registry/validation/check.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { forbidden } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { RequestContext, RestStorage } from '../../server/registry/contract/rest-storage.ts';
import type { StoreHooks, WriteTarget } from '../../server/registry/contract/store-hooks.ts';
import { organisationsOf, certificateProblem, requestProblem } from './signing-request.ts';
import {
  all,
  each,
  fields,
  isEmpty,
  required,
  unique,
} from '../../server/registry/validation/combine.ts';
import { atLeast, oneOf } from '../../server/registry/validation/values.ts';
import { signerName } from './signers/signer-name.ts';
import type { SubresourceParts } from '../../server/registry/contract/subresource-parts.ts';
import { timestampOf } from '../../server/registry/rules/duration.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { partialUpdate } from '../subresources/partial-update.ts';

/**
 * `certificatesigningrequests/NAME/approval`: the conditions Approved and Denied, and all others.
 * @see pkg/registry/certificates/certificates/strategy.go csrApprovalStrategy @ 24a394e
 */
function certificateApproval(
  { store }: SubresourceParts,
  validateUpdate: UpdateStrategy['validateUpdate'],
): RestStorage {
  return partialUpdate(store, { ...approvalStrategy, validateUpdate });
}

const approvalStrategy: Omit<UpdateStrategy, 'validateUpdate'> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate(request, existing, { nowMs }) {
    request['spec'] = existing['spec'];
    const conditions = recordsAt(request, 'status', 'conditions');
    const status: JsonRecord = { ...recordAt(existing, 'status') };
    if (conditions.length === 0) delete status['conditions'];
    else status['conditions'] = datedConditions(conditions, existing, nowMs);
    request['status'] = status;
  },
};

/** Times of conditions that the client has left out: those of the stored condition, or now. */
export function datedConditions(
  conditions: readonly JsonRecord[],
  existing: MutableObject,
  nowMs: number,
): JsonRecord[] {
  const now = timestampOf(nowMs);
  const before = recordsAt(existing, 'status', 'conditions');
  return conditions.map((condition) => {
    const old = before.find((one) => textAt(one, 'type') === textAt(condition, 'type'));
    const same = textAt(old, 'status') === textAt(condition, 'status');
    const transition = same ? textAt(old, 'lastTransitionTime') : '';
    return {
      ...condition,
      lastUpdateTime: textAt(condition, 'lastUpdateTime') || now,
      lastTransitionTime: textAt(condition, 'lastTransitionTime') || transition || now,
    };
  });
}

const SHORTEST_SECONDS = 600;

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const request: Check = (value, path, report, old) => {
  // It stays as it is, and was right at the creation.
  const problem = report.isUpdate && value === old ? undefined : requestProblem(value);
  if (problem !== undefined) report.invalid(path, isEmpty(value) ? null : value, problem);
};

const signer: Check = (value, path, report) => {
  if (value !== 'kubernetes.io/legacy-unknown') return signerName(value, path, report);
  const detail = 'the legacy signerName is not allowed via this API version';
  report.invalid(path, value, detail);
};

/** Conditions that stay once they are set, and are always true. */
const PERMANENT = ['Approved', 'Denied', 'Failed'];

const conditions: Check = (list, path, report) => {
  const types = new Set<string>();
  each((one, place) => {
    const type = textAt(one, 'type');
    const status = textAt(one, 'status');
    const allowed = PERMANENT.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (type === '') report.required(`${place}.type`);
    if (status === '') report.required(`${place}.status`);
    else if (!allowed.includes(status)) {
      report.notSupported(`${place}.status`, status, allowed);
    }
    const opposite = type === 'Approved' ? 'Denied' : 'Approved';
    if ((type === 'Approved' || type === 'Denied') && types.has(opposite)) {
      const rule = 'Approved and Denied conditions are mutually exclusive';
      report.invalid(path, type, rule);
    }
    if (types.has(type)) report.duplicate(`${place}.type`, type);
    types.add(type);
  })(list, path, report);
};

const certificate: Check = (value, path, report, old) => {
  const problem = value === old ? undefined : certificateProblem(value);
  if (problem !== undefined) report.invalid(path, '<certificate data>', problem);
};

function countOf(object: unknown, type: string): number {
  return recordsAt(object, 'status', 'conditions').filter((one) => textAt(one, 'type') === type)
    .length;
}

/** Changes of conditions and certificate that an update may not make. Only the endpoint `approval` adds decisions. */
function keptParts(mayDecide: boolean): Check {
  return (_object, _path, report) => {
    const { object, existing } = report;
    if (existing === undefined) return;
    const refuse = (verb: string, type: string): void => {
      const rule = `updates may not ${verb} a condition of type ${JSON.stringify(type)}`;
      report.forbidden('status.conditions', rule);
    };
    for (const type of PERMANENT) {
      if (countOf(object, type) < countOf(existing, type)) refuse('remove', type);
    }
    for (const type of mayDecide ? [] : ['Approved', 'Denied']) {
      if (countOf(object, type) > countOf(existing, type)) refuse('add', type);
    }
    const before = valueAt(existing, 'status', 'certificate') ?? '';
    if (before === '' || before === (valueAt(object, 'status', 'certificate') ?? '')) return;
    const rule = 'updates may not modify existing certificate content';
    report.forbidden('status.certificate', rule);
  };
}

/** @see pkg/apis/certificates/validation validateCertificateSigningRequest @ v1.36.3 */
function requestChecks({ mayDecide }: { readonly mayDecide: boolean }): Check {
  return all(
    fields({
      spec: fields({
        request,
        usages: required(each(oneOf(USAGES)), unique()),
        signerName: signer,
        expirationSeconds: atLeast(
          SHORTEST_SECONDS,
          'may not specify a duration less than 600 seconds (10 minutes)',
        ),
      }),
      status: fields({ conditions, certificate }),
    }),
    keptParts(mayDecide),
  );
}

const SIGNER = 'kubernetes.io/kube-apiserver-client';
const MASTERS = 'system:masters';

/**
 * Refuses requests for certificates of administrators, also when an administrator asks.
 * @see plugin/pkg/admission/certificates/subjectrestriction @ v1.36.3
 */
class SubjectRestriction implements StoreHooks {
  /** @throws {ApiError} 403. */
  async authorize(
    _context: RequestContext,
    request: UnstructuredObject,
    { existing }: WriteTarget,
  ): Promise<void> {
    if (existing !== undefined || valueAt(request, 'spec', 'signerName') !== SIGNER) return;
    const organisations = organisationsOf(valueAt(request, 'spec', 'request'));
    if (!organisations.includes(MASTERS)) return;
    const subject = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };
    const reason = `use of ${SIGNER} signer with ${MASTERS} group is not allowed`;
    throw forbidden(subject, request.metadata?.name ?? '', reason);
  }
}

const checks = requestChecks({ mayDecide: false });
const approvalChecks = requestChecks({ mayDecide: true });

const statusStrategy: UpdateStrategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate(request, existing, { nowMs }) {
    request['spec'] = existing['spec'];
    const given = withDecisionsOf(existing, recordsAt(request, 'status', 'conditions'));
    const status: JsonRecord = { ...recordAt(request, 'status') };
    if (given.length > 0) status['conditions'] = datedConditions(given, existing, nowMs);
    request['status'] = status;
  },
  validateUpdate: (object, existing, policy) => causesOf(checks, object, existing, policy),
};

/** Approvals and denials as they are, unless their number differs, which is refused later. */
function withDecisionsOf(existing: unknown, given: readonly JsonRecord[]): readonly JsonRecord[] {
  let conditions = given;
  for (const type of ['Approved', 'Denied']) {
    const isOne = (one: JsonRecord): boolean => textAt(one, 'type') === type;
    const kept = recordsAt(existing, 'status', 'conditions').filter(isOne);
    if (conditions.filter(isOne).length !== kept.length) continue;
    conditions = conditions.map((one) => (isOne(one) ? (kept.shift() as JsonRecord) : one));
  }
  return conditions;
}

export const certificateSigningRequests: KindRules = {
  group: 'certificates.k8s.io',
  resource: 'certificatesigningrequests',
  strategy: {
    ...checkedBy(checks),
    prepareForCreate(request, { user }) {
      const spec: JsonRecord = { ...recordAt(request, 'spec') };
      for (const field of ['username', 'uid', 'groups', 'extra']) delete spec[field];
      if (user !== undefined) {
        spec['username'] = user.username;
        if (user.uid !== undefined) spec['uid'] = user.uid;
        spec['groups'] = [...user.groups];
        if (user.extra !== undefined) spec['extra'] = user.extra;
      }
      request['spec'] = spec;
    },
    prepareForUpdate(request, existing) {
      request['spec'] = existing['spec'];
    },
  },
  selectableFields: { 'spec.signerName': (request) => textAt(request, 'spec', 'signerName') },
  statusStrategy,
  newHooks: () => new SubjectRestriction(),
  newSubresources: (parts) => ({
    approval: certificateApproval(parts, (object, existing, policy) =>
      causesOf(approvalChecks, object, existing, policy),
    ),
  }),
};
