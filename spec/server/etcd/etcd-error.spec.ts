import { expect } from 'chai';
import { canceled, failureOf } from '../../../lib/server/etcd/etcd-error.ts';

describe('a watch that a member canceled', () => {
  it('goes on elsewhere when the member lost its leader', () => {
    for (const reason of ['etcdserver: no leader', 'etcdserver: server stopped', '']) {
      expect(failureOf(canceled(reason))).to.deep.equal({ kind: 'lost' });
    }
  });

  it('signs in again when the token has expired', () => {
    expect(failureOf(canceled('etcdserver: invalid auth token'))).to.deep.equal({ kind: 'token' });
  });

  it('ends when the answer is no', () => {
    const refusals = {
      'etcdserver: permission denied': 'STORE_FORBIDDEN',
      'etcdserver: mvcc: required revision has been compacted': 'COMPACTED',
    };
    for (const [reason, code] of Object.entries(refusals)) {
      expect(failureOf(canceled(reason))).to.deep.equal({ kind: 'refused', code });
    }
  });
});
