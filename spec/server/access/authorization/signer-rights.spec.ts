import { expect } from 'chai';
import { signerHooks } from '../../../../lib/server/access/authorization/escalation.ts';
import type { UnstructuredObject } from '../../../../lib/meta/object.ts';
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
  identity: UserInfo = userNamed(JANE),
): Promise<string> {
  const hooks = signerHooks({
    authorize: ({ verb, name, group, resource }) =>
      Promise.resolve({
        allowed:
          `${resource}.${group}` === 'signers.certificates.k8s.io' &&
          rights.includes(`${verb} ${name}`),
      }),
    rulesOf: () => Promise.reject(new Error('not asked')),
  });
  const context = { namespace: '', user: identity.username, identity, warn: () => {} };
  const target = { name: 'x', existing: request({}), subresource };
  try {
    await hooks.authorize?.(context, object, target);
    return '';
  } catch (error) {
    expect(error).to.include({ code: 'FORBIDDEN' });
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
