import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Answers } from '../../server/registry/support/answers.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const TOKENS = `${ACCOUNTS}/robot/token`;

type Cause = readonly [reason: string, field: string, message: string];

/** Requests for tokens with what kube-apiserver 1.37.2 says to them, with its default gates. Recorded on 2026-11-30. */
const recorded = JSON.parse(
  readFileSync(new URL('recorded-webhook-tokens.json', import.meta.url), 'utf8'),
) as readonly (readonly [spec: object, status: number, message: string, causes?: Cause[]])[];

interface Refusal {
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { reason: string; field: string; message: string }[];
  };
}

async function newApi(version?: '1.36'): Promise<Answers> {
  const api = new Answers({ version });
  await api.post(ACCOUNTS, { metadata: { name: 'robot' } });
  return api;
}

describe('a token that a webhook knows its API server by', () => {
  it('is refused in the words of kube-apiserver 1.37, where the gate is off', async () => {
    await using api = await newApi();
    for (const [spec, status, message, causes] of recorded) {
      const answer = await api.post(TOKENS, { spec });
      expect(answer.status, answer.text).to.equal(status);
      if (status === 201) continue;
      const { message: said, details } = answer.body as Refusal;
      expect(said).to.equal(message);
      const found = details?.causes?.map((one) => [one.reason, one.field, one.message]);
      expect(found, message).to.deep.equal(causes);
    }
  });

  it('is one of an unknown type before 1.37, and attestations are no field', async () => {
    await using api = await newApi('1.36');
    const kind = 'ValidatingWebhookConfiguration';
    const apiVersion = 'admissionregistration.k8s.io/v1';
    const boundObjectRef = { apiVersion, kind, name: 'x' };
    const { status, body } = await api.post(TOKENS, { spec: { boundObjectRef } });
    expect(status).to.equal(400);
    expect(body['message']).to.equal(
      `cannot bind token to object of type ${apiVersion}, Kind=${kind}`,
    );
    const attestations = { admissionReviewAPIGroups: ['apps'] };
    expect((await api.post(TOKENS, { spec: { attestations } })).status).to.equal(201);
  });
});
