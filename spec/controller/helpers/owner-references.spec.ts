import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import { setOwner } from '../../../lib/controller/helpers/owner-references.ts';

const owner = {
  apiVersion: 'example.com/v1',
  kind: 'Site',
  metadata: { name: 'shop', namespace: 'web', uid: 'u1' },
};
const reference = {
  apiVersion: 'example.com/v1',
  kind: 'Site',
  name: 'shop',
  uid: 'u1',
  controller: true,
  blockOwnerDeletion: true,
};

describe('setOwner', () => {
  it('adds the owner once, beside others, and changes no argument', () => {
    const other = { ...reference, uid: 'u2', controller: false };
    const object = { metadata: { name: 'page', ownerReferences: [other] } };
    const owned = setOwner(object, owner);
    expect(owned.metadata.ownerReferences).to.deep.equal([other, reference]);
    expect(setOwner(owned, owner)).to.deep.equal(owned);
    expect(object.metadata.ownerReferences).to.deep.equal([other]);
    const plain = setOwner(object, owner, { controller: false, blockOwnerDeletion: false });
    expect(plain.metadata.ownerReferences[1]).to.deep.equal({
      ...reference,
      controller: false,
      blockOwnerDeletion: false,
    });
  });

  it('refuses an owner of another namespace, and lets a cluster-scoped one own all', () => {
    const object = { metadata: { name: 'page', namespace: 'other' } };
    expect(() => setOwner(object, owner)).to.throw(
      'Site "shop" cannot own "page": it is in namespace "other", and an owner owns only objects of its own; watch it, with a label that names the owner',
    );
    const { name, uid } = owner.metadata;
    expect(setOwner(object, { ...owner, metadata: { name, uid } }).metadata).to.have.property(
      'ownerReferences',
    );
  });

  it('refuses a second controller', () => {
    const first = { ...reference, uid: 'u2', name: 'first' };
    const object = { metadata: { name: 'page', ownerReferences: [first] } };
    const refusal = (): unknown => {
      try {
        return setOwner(object, owner);
      } catch (error) {
        return error;
      }
    };
    expect(isListwatchError(refusal(), 'OWNER_REFUSED')).to.equal(true);
    expect(String(refusal())).to.match(/its controller is Site "first"/);
    expect(setOwner(object, owner, { controller: false }).metadata.ownerReferences).to.have.length(
      2,
    );
  });
});
