import { forbidden, invalid } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { jsonEqual, textAt, valueAt } from '../../../meta/json-value.ts';
import type { AccessQuestion, Authorizer } from '../../registry/contract/access-parts.ts';
import type { StoreHooks, WriteTarget } from '../../registry/contract/store-hooks.ts';
import { isPrivileged, userNamed, type UserInfo } from '../../registry/contract/user-info.ts';
import { fieldForbidden } from '../../registry/rules/field-causes.ts';
import { isCleanUp } from './owner-clean-up.ts';

export const CERTIFICATES_GROUP = 'certificates.k8s.io';

/** A write that needs the right to act for a signer. */
interface SignerUse {
  readonly verb: string;
  readonly signer: string;
  /** The failure of a user without the right. */
  refusal(user: UserInfo): Error;
}

type UseOf = (object: UnstructuredObject, target: WriteTarget) => SignerUse | undefined;

const USES: Readonly<Record<string, UseOf>> = {
  certificatesigningrequests: useOfRequest,
  clustertrustbundles: useOfBundle,
  podcertificaterequests: useOfPodRequest,
};

/**
 * The rights to act for a signer: to approve and sign requests, and to attest bundles of certificates. Undefined for other resources.
 * @see plugin/pkg/admission/certificates, pkg/certauthorization @ v1.37.2
 */
export function signerHooks(
  authorizer: Authorizer,
  resource: string = 'certificatesigningrequests',
): Pick<StoreHooks, 'authorize'> | undefined {
  const useOf = USES[resource];
  if (useOf === undefined) return undefined;
  return {
    authorize: async ({ user, identity }, object, target) => {
      const who = identity ?? userNamed(user);
      const use = useOf(object, target);
      if (use === undefined || isPrivileged(who)) return;
      const { verb, signer } = use;
      for (const name of [signer, `${signer.split('/', 1)[0]}/*`]) {
        const question = { ...SIGNERS, user: who, verb, name };
        if ((await authorizer.authorize(question)).allowed) return;
      }
      throw use.refusal(who);
    },
  };
}

const SIGNERS: Omit<AccessQuestion, 'user' | 'verb' | 'name'> = {
  isResource: true,
  path: '',
  group: CERTIFICATES_GROUP,
  version: '*',
  resource: 'signers',
  subresource: '',
  namespace: '',
};

function useOfRequest(
  object: UnstructuredObject,
  { name, existing, subresource }: WriteTarget,
): SignerUse | undefined {
  const verb = verbOf(subresource, object, existing);
  if (verb === undefined) return undefined;
  // That of the stored object: the request may name another one.
  const signer = textAt(existing, 'spec', 'signerName');
  const subject = { group: CERTIFICATES_GROUP, resource: 'certificatesigningrequests' };
  const text = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signer)}`;
  return { verb, signer, refusal: () => forbidden(subject, name, text) };
}

function verbOf(subresource: string, object: unknown, existing: unknown): string | undefined {
  if (subresource === 'approval') return 'approve';
  if (subresource !== 'status') return undefined;
  const same = ['certificate', 'conditions'].every((field) =>
    jsonEqual(valueAt(object, 'status', field), valueAt(existing, 'status', field)),
  );
  return same ? undefined : 'sign';
}

/** That of the new bundle: an update with another signer is refused later. */
function useOfBundle(
  object: UnstructuredObject,
  { name, existing }: WriteTarget,
): SignerUse | undefined {
  const signer = textAt(object, 'spec', 'signerName');
  if (signer === '' || (existing !== undefined && isCleanUp(object, existing))) return undefined;
  const shown =
    name || textAt(object, 'metadata', 'name') || textAt(object, 'metadata', 'generateName');
  const text = `user not permitted to attest for signerName ${JSON.stringify(signer)}`;
  const subject = { group: CERTIFICATES_GROUP, resource: 'clustertrustbundles' };
  return { verb: 'attest', signer, refusal: () => forbidden(subject, shown, text) };
}

function useOfPodRequest(
  object: UnstructuredObject,
  { name, existing, subresource }: WriteTarget,
): SignerUse | undefined {
  if (subresource !== 'status') return undefined;
  if (jsonEqual(object['status'] ?? {}, existing?.['status'] ?? {})) return undefined;
  const signer = textAt(existing, 'spec', 'signerName');
  const kind = { group: CERTIFICATES_GROUP, kind: 'PodCertificateRequest' };
  const refusal = ({ username }: UserInfo): Error => {
    const text = `User ${JSON.stringify(username)} is not permitted to "sign" for signer ${JSON.stringify(signer)}`;
    return invalid(kind, name, [fieldForbidden('spec.signerName', text)]);
  };
  return { verb: 'sign', signer, refusal };
}
