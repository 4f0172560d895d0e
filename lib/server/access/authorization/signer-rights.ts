import { forbidden } from '../../../meta/failure/failures.ts';
import type { AccessQuestion, Authorizer } from '../../registry/contract/access-parts.ts';
import type { StoreHooks } from '../../registry/contract/store-hooks.ts';
import { isPrivileged, userNamed } from '../../registry/contract/user-info.ts';
import { jsonEqual, textAt, valueAt } from '../../../meta/json-value.ts';

const GROUP = 'certificates.k8s.io';
const REQUESTS = { group: GROUP, resource: 'certificatesigningrequests' };

/**
 * The rights to approve and sign certificate signing requests: the rights are those of the verbs `approve` and `sign` for the signer.
 * @see plugin/pkg/admission/certificates, pkg/certauthorization @ v1.36.3
 */
export function signerHooks(authorizer: Authorizer): Pick<StoreHooks, 'authorize'> {
  return {
    authorize: async ({ user, identity }, object, { name, existing, subresource }) => {
      const verb = verbOf(subresource, object, existing);
      const who = identity ?? userNamed(user);
      if (verb === undefined || isPrivileged(who)) return;
      // That of the stored object: the request may name another one.
      const signer = textAt(existing, 'spec', 'signerName');
      for (const one of [signer, `${signer.split('/', 1)[0]}/*`]) {
        const question = { ...SIGNERS, user: who, verb, name: one };
        if ((await authorizer.authorize(question)).allowed) return;
      }
      const text = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`;
      throw forbidden(REQUESTS, name, text);
    },
  };
}

const SIGNERS: Omit<AccessQuestion, 'user' | 'verb' | 'name'> = {
  isResource: true,
  path: '',
  group: GROUP,
  version: '*',
  resource: 'signers',
  subresource: '',
  namespace: '',
};

function verbOf(subresource: string, object: unknown, existing: unknown): string | undefined {
  if (subresource === 'approval') return 'approve';
  if (subresource !== 'status') return undefined;
  const same = ['certificate', 'conditions'].every((field) =>
    jsonEqual(valueAt(object, 'status', field), valueAt(existing, 'status', field)),
  );
  return same ? undefined : 'sign';
}
