import { expect } from 'chai';
import {
  DECRYPT,
  ENCRYPT,
  STATUS,
} from '../../../../../lib/server/storage/encryption/plugin/kms-plugin.ts';

describe('the messages of a KMS plug-in', () => {
  it('have empty values for fields that are not sent', () => {
    const nothing = Buffer.of();
    expect(STATUS.deserialize(nothing)).to.deep.equal({ version: '', healthz: '', keyId: '' });
    const { ciphertext, keyId, annotations } = ENCRYPT.deserialize(nothing);
    expect([...ciphertext]).to.deep.equal([]);
    expect(keyId).to.equal('');
    expect(annotations?.size).to.equal(0);
    expect([...DECRYPT.deserialize(nothing)]).to.deep.equal([]);
  });
});
