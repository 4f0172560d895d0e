import { expect } from 'chai';
import { signerHooks } from '../../../../lib/server/access/authorization/signer-rights.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
import type { WriteTarget } from '../../../../lib/server/registry/contract/store-hooks.ts';
import {
  adminUser,
  userNamed,
  type UserInfo,
} from '../../../../lib/server/registry/contract/user-info.ts';
import { JANE } from '../support.ts';

const SIGNER = 'example.com/one';
const request = (status: object, signerName = SIGNER): UnstructuredObject => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'x' },
  spec: { signerName },
  status,
});

/** The message of the refusal of an update, for a user with rights `verb signer`; empty when it passes. */
async function refusal(
  subresource: string,
  object: UnstructuredObject,
  rights: readonly string[],
  identity?: UserInfo,
): Promise<string> {
  const target = { name: 'x', existing: request({}), subresource };
  return await refusalOf('certificatesigningrequests', object, target, rights, identity);
}

async function refusalOf(
  resource: string,
  object: UnstructuredObject,
  target: WriteTarget,
  rights: readonly string[],
  identity: UserInfo = userNamed(JANE),
): Promise<string> {
  const hooks = signerHooks(
    {
      authorize: ({ verb, name, group, resource: asked }) =>
        Promise.resolve({
          allowed:
            `${asked}.${group}` === 'signers.certificates.k8s.io' &&
            rights.includes(`${verb} ${name}`),
        }),
      rulesOf: () => Promise.reject(new Error('not asked')),
    },
    resource,
  );
  const context = { namespace: '', user: identity.username, identity, warn: () => {} };
  try {
    await hooks?.authorize?.(context, object, target);
    return '';
  } catch (error) {
    expect((error as { readonly code: string }).code).to.be.oneOf(['FORBIDDEN', 'INVALID']);
    return (error as Error).message;
  }
}

describe('the rights of signers', () => {
  const approved = request({ conditions: [{ type: 'Approved', status: 'True' }] });
  const signed = request({ certificate: 'x' });

  it('are needed to approve and to sign, for the signer or its domain', async () => {
    const subject =
      'certificatesigningrequests.certificates.k8s.io "x" is forbidden: user not permitted to';
    expect(await refusal('approval', approved, [`sign ${SIGNER}`])).to.equal(
      `${subject} approve requests with signerName "${SIGNER}"`,
    );
    expect(await refusal('status', signed, [`approve ${SIGNER}`])).to.equal(
      `${subject} sign requests with signerName "${SIGNER}"`,
    );
    for (const name of [SIGNER, 'example.com/*']) {
      expect(await refusal('approval', approved, [`approve ${name}`])).to.equal('');
      expect(await refusal('status', signed, [`sign ${name}`])).to.equal('');
    }
  });

  it('are those of the stored signer, for any update', async () => {
    const other = request({}, 'example.org/mine');
    expect(await refusal('approval', other, ['approve example.org/mine'])).to.not.equal('');
  });

  it('are not needed by administrators, nor for updates of other parts', async () => {
    expect(await refusal('approval', approved, [], adminUser('admin'))).to.equal('');
    expect(await refusal('status', request({}), [])).to.equal('');
    expect(await refusal('', request({}), [])).to.equal('');
  });
});

describe('the rights of signers of certificates of pods', () => {
  it('are needed to attest a bundle of a signer, in writes that change it', async () => {
    const bundle = (
      labels: Record<string, string>,
      spec: object = { signerName: SIGNER },
    ): UnstructuredObject => ({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'ClusterTrustBundle',
      metadata: { name: 'x', labels },
      spec,
    });
    const ask = async (
      object: UnstructuredObject,
      existing: UnstructuredObject | undefined,
      rights: readonly string[] = [],
    ): Promise<string> =>
      await refusalOf(
        'clustertrustbundles',
        object,
        { name: '', existing, subresource: '' },
        rights,
      );
    const refused =
      'clustertrustbundles.certificates.k8s.io "x" is forbidden: user not permitted to attest for signerName "example.com/one"';
    expect(await ask(bundle({}), undefined)).to.equal(refused);
    expect(await ask(bundle({ a: 'b' }), bundle({}))).to.equal(refused);
    expect(await ask(bundle({}), bundle({}))).to.equal('');
    expect(await ask(bundle({}, {}), undefined)).to.equal('');
    expect(await ask(bundle({}), undefined, ['attest example.com/*'])).to.equal('');
  });

  it('are needed to change the status of a request of a pod', async () => {
    const target = { name: 'x', existing: request({}), subresource: 'status' };
    const ask = async (object: UnstructuredObject, rights: readonly string[]): Promise<string> =>
      await refusalOf('podcertificaterequests', object, target, rights);
    const denied = request({ conditions: [{ type: 'Denied', status: 'True' }] });
    expect(await ask(denied, [])).to.equal(
      `PodCertificateRequest.certificates.k8s.io "x" is invalid: spec.signerName: Forbidden: User "${JANE}" is not permitted to "sign" for signer "example.com/one"`,
    );
    expect(await ask(denied, [`sign ${SIGNER}`])).to.equal('');
    expect(await ask(request({}), [])).to.equal('');
  });
});
