import { expect } from 'chai';
import { failure } from '../../../lib/meta/failure/api-error.ts';
import { expired, tooManyRequests } from '../../../lib/meta/failure/failures.ts';
import {
  plainStatus,
  sealedStatus,
  UNSHOWN_TEXT,
} from '../../../lib/meta/failure/sealed-status.ts';
import type { Status } from '../../../lib/meta/failure/status.ts';

const HOSTILE = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'hunter2',
  metadata: { continue: 'token', note: 'hunter2' },
  message: 'no hunter2',
  reason: 'hunter2',
  code: 403,
  details: {
    name: 'hunter2',
    kind: 'hunter2',
    causes: [{ reason: 'hunter2', message: 'hunter2', field: 'data[hunter2]' }, 'hunter2', null],
    object: { data: 'hunter2' },
    retryAfterSeconds: 3,
  },
  object: { data: 'hunter2' },
} as unknown as Status;

describe('sealedStatus', () => {
  it('keeps codes, delays and the token of a list, and no text that is not known', () => {
    const sealed = sealedStatus(HOSTILE);
    expect(JSON.stringify(sealed)).to.not.include('hunter2');
    expect(sealed).to.deep.include({
      status: 'Failure',
      code: 403,
      message: UNSHOWN_TEXT,
      metadata: { continue: 'token' },
    });
    expect(sealed.details).to.deep.include({ retryAfterSeconds: 3 });
  });

  it('keeps what API servers say of reads', () => {
    const texts = [
      'secrets "a" is forbidden: User "system:serviceaccount:shop:web" cannot get resource "secrets" in API group "" in the namespace "shop"',
      'secrets is forbidden: User "a\\"b" cannot list resource "secrets" in API group "" at the cluster scope',
      'too old resource version: 5 (17)',
      'Timeout: Too large resource version: 12, current: 7',
      'Unauthorized',
      'HTTP 502',
      'etcdserver: request timed out',
    ];
    for (const message of texts) {
      expect(sealedStatus({ ...HOSTILE, message }).message).to.equal(message);
    }
    const longer = `${texts[0]}: hunter2`;
    expect(sealedStatus({ ...HOSTILE, message: longer }).message).to.equal(texts[0]);
  });

  it('keeps what a reflector acts on', () => {
    for (const error of [
      expired('too old resource version: 5 (17)', 'token'),
      tooManyRequests('Too many requests, please try again later.', 2),
      failure('Timeout', 'Timeout: Too large resource version: 12, current: 7', {
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        },
      }),
    ]) {
      expect(sealedStatus(error.status)).to.deep.equal(error.status);
    }
  });
});

describe('plainStatus', () => {
  it('has the fields of a Status and no others', () => {
    const plain = plainStatus(HOSTILE);
    expect(plain).to.not.have.property('object');
    expect(plain.details).to.not.have.property('object');
    expect(plain.metadata).to.deep.equal({ continue: 'token' });
    expect(plain.message).to.equal('no hunter2');
  });
});
