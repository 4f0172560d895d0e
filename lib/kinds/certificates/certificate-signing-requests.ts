import type { UpdateStrategy } from '../../server/registry/contract/strategy.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  type JsonRecord,
  valueAt,
} from '../../meta/json-value.ts';
import { certificateApproval, datedConditions } from '../subresources/certificate-approval.ts';
import { causesOf, checkedBy } from '../../server/registry/validation/check.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { requestChecks } from './request-checks.ts';
import { forbidden } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { RequestContext } from '../../server/registry/contract/rest-storage.ts';
import type { StoreHooks, WriteTarget } from '../../server/registry/contract/store-hooks.ts';
import { organisationsOf } from './signing-request.ts';

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
  validateUpdate: (object, existing) => causesOf(checks, object, existing),
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
    approval: certificateApproval(parts, (object, existing) =>
      causesOf(approvalChecks, object, existing),
    ),
  }),
};
