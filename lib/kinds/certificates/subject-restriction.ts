import { forbidden } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { RequestContext } from '../../server/registry/contract/rest-storage.ts';
import type { StoreHooks, WriteTarget } from '../../server/registry/contract/store-hooks.ts';
import { valueAt } from '../../server/registry/rules/json-value.ts';
import { organisationsOf } from './signing-request.ts';

const SIGNER = 'kubernetes.io/kube-apiserver-client';
const MASTERS = 'system:masters';

/**
 * Refuses requests for certificates of administrators, also when an administrator asks.
 * @see plugin/pkg/admission/certificates/subjectrestriction @ v1.36.3
 */
export class SubjectRestriction implements StoreHooks {
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
