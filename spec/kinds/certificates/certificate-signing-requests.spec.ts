import { expect } from 'chai';
import { datedConditions } from '../../../lib/kinds/certificates/certificate-signing-requests.ts';
import { Answers } from '../../server/registry/support/answers.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const TEXT = [
  '-----BEGIN CERTIFICATE REQUEST-----',
  'MIHKMHECAQAwDzENMAsGA1UEAwwEamFuZTBZMBMGByqGSM49AgEGCCqGSM49AwEH',
  'A0IABOPLnInWaIiGJ/Y6CYtnXJJw8Vt2Hc2/3BvZIDP/vL87MiXeylOHJJPq2iaY',
  '0tvG+c3EDhJWdBnMhVSV4jfma46gADAKBggqhkjOPQQDAgNJADBGAiEA6TvOM6F9',
  '5QI4jtO5/MDgOtQUN6q2MISn7wVVvExfPQMCIQCE8PUuRuakN4iXCnyWv6S7TnPw',
  'wzngL1jVi2eTIQ9PZA==',
  '-----END CERTIFICATE REQUEST-----',
].join('\n');
const request = Buffer.from(TEXT).toString('base64');
const draft = {
  metadata: { name: 'mine' },
  spec: { request, signerName: 'example.com/x', usages: ['client auth'], username: 'me' },
};

describe('the times of a condition of a certificate signing request', () => {
  const BEFORE = '2020-01-01T00:00:00Z';
  const GIVEN = '2021-01-01T00:00:00Z';
  const NOW = '1970-01-01T00:00:01Z';
  const old = { type: 'Other', status: 'True', lastTransitionTime: BEFORE, lastUpdateTime: BEFORE };
  const stored = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: {},
    status: { conditions: [{ ...old, type: 'First', lastTransitionTime: GIVEN }, old] },
  };
  for (const [title, condition, update, transition] of [
    ['are the present time for a new one', { type: 'New', status: 'True' }, NOW, NOW],
    ['keep the transition of the same status', { type: 'Other', status: 'True' }, NOW, BEFORE],
    ['have a transition with another status', { type: 'Other', status: 'False' }, NOW, NOW],
    [
      'are those that the client sends',
      { type: 'Other', status: 'True', lastTransitionTime: GIVEN, lastUpdateTime: GIVEN },
      GIVEN,
      GIVEN,
    ],
  ] as const) {
    it(title, () => {
      expect(datedConditions([condition], stored, 1000)).to.deep.equal([
        { ...condition, lastUpdateTime: update, lastTransitionTime: transition },
      ]);
    });
  }
});

describe('the approval of a certificate signing request', () => {
  it('sets conditions with their times, and nothing else', async () => {
    await using api = new Answers();
    const created = await api.post(REQUESTS, draft);
    expect(created.body).to.nested.include({
      'spec.username': 'system:admin',
      'spec.groups[0]': 'system:masters',
    });
    const approved = await api.ask('PUT', `${REQUESTS}/mine/approval`, {
      metadata: { name: 'mine' },
      spec: { ...draft.spec, signerName: 'example.com/y' },
      status: {
        conditions: [{ type: 'Approved', status: 'True', reason: 'R', message: 'm' }],
        certificate: 'Zm9v',
      },
    });
    expect(approved.status, approved.text).to.equal(200);
    expect(approved.body).to.nested.include({
      'spec.signerName': 'example.com/x',
      'status.conditions[0].reason': 'R',
    });
    expect(approved.body).to.have.nested.property('status.conditions[0].lastUpdateTime');
    expect(approved.body).not.to.have.nested.property('status.certificate');
  });

  it('stays once it is given', async () => {
    await using api = new Answers();
    await api.post(REQUESTS, draft);
    const path = `${REQUESTS}/mine/approval`;
    await api.merge(path, { status: { conditions: [{ type: 'Approved', status: 'True' }] } });
    const removed = await api.merge(path, { status: { conditions: [] } });
    expect([removed.status, removed.body['message']]).to.deep.equal([
      422,
      'CertificateSigningRequest.certificates.k8s.io "mine" is invalid: status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    const revoked = await api.merge(path, {
      status: { conditions: [{ type: 'Approved', status: 'False' }] },
    });
    expect(revoked.body).to.nested.include({
      code: 422,
      'details.causes[0].field': 'status.conditions[0].status',
    });
  });
});
