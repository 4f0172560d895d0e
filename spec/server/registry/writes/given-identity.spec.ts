import { expect } from 'chai';
import type { WriteOptions } from '../../../../lib/server/registry/contract/rest-storage.ts';
import {
  checkVersionText,
  isUnset,
  refuseGivenUid,
} from '../../../../lib/server/registry/writes/given-identity.ts';
import { kindNamed } from '../support/kind-named.ts';

const { describe: leases } = kindNamed('coordination.k8s.io/leases');
const KEY = '/registry/leases/default/a';

function refusalOf(uid: string, options: WriteOptions): string {
  try {
    refuseGivenUid(leases, KEY, { name: 'a', uid }, options);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('the uid of an object that is to be created', () => {
  it('is refused in the words of the storage, and of an apply', () => {
    const conflict = 'Operation cannot be fulfilled on leases.coordination.k8s.io "a": ';
    const failed = (key: string): string =>
      `${conflict}StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 1, UID in object meta: `;
    expect(refusalOf('', {})).to.equal('');
    expect(refusalOf('1', {})).to.equal(failed(KEY));
    expect(refusalOf('1', { dryRun: true })).to.equal(failed('/leases/default/a'));
    expect(refusalOf('1', { forceAllowCreate: true })).to.equal(
      `${conflict}uid mismatch: the provided object specified uid 1, and no existing object was found`,
    );
  });
});

describe('a resource version in an object', () => {
  it('is unset when it is empty or 0, and a number otherwise', () => {
    expect(['', '0', '1'].map(isUnset)).to.deep.equal([true, true, false]);
    for (const text of ['', '0', '1']) checkVersionText(text);
    expect(() => checkVersionText('x')).to.throw();
  });
});
