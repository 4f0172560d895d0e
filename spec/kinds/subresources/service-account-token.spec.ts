import { createPublicKey, verify } from 'node:crypto';
import { expect } from 'chai';
import { Answers, podOf, PODS, type Answer } from '../../server/registry/support/answers.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const TOKENS = `${ACCOUNTS}/robot/token`;
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const SECRETS = '/api/v1/namespaces/default/secrets';

async function newApi(): Promise<Answers> {
  const api = new Answers();
  await api.post(ACCOUNTS, { metadata: { name: 'robot' } });
  return api;
}

async function tokenOf(api: Answers, spec: object = {}): Promise<string> {
  const { status, text, body } = await api.post(TOKENS, { spec });
  expect(status, text).to.equal(201);
  return (body['status'] as { token: string }).token;
}

async function review(api: Answers, token: string, audiences?: readonly string[]): Promise<object> {
  const { status, text, body } = await api.post(REVIEWS, { spec: { token, audiences } });
  expect(status, text).to.equal(201);
  return body['status'] as object;
}

describe('the token of a service account', () => {
  it('names account, audiences and times', async () => {
    await using api = await newApi();
    const { body } = await api.post(TOKENS, { spec: { expirationSeconds: 7200 } });
    expect(body).to.nested.include({
      kind: 'TokenRequest',
      'metadata.name': 'robot',
      'metadata.namespace': 'default',
      'spec.expirationSeconds': 7200,
      'spec.boundObjectRef': null,
    });
    const { token } = body['status'] as { token: string };
    const [, payload = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<
      string,
      number
    >;
    expect(claims).to.deep.include({
      sub: 'system:serviceaccount:default:robot',
      aud: ['https://kubernetes.default.svc'],
    });
    expect((claims['exp'] as number) - (claims['iat'] as number)).to.equal(7200);
  });

  it('is not given for a body that names another namespace or account', async () => {
    await using api = await newApi();
    const other = await api.post(TOKENS, { metadata: { namespace: 'other' }, spec: {} });
    expect([other.status, other.body['message']]).to.deep.equal([
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ]);
    const named = await api.post(TOKENS, { metadata: { name: 'human' }, spec: {} });
    expect(named.status).to.equal(422);
    expect(named.body['message']).to.contain('must match the service account name if specified');
    const same = { metadata: { name: 'robot', namespace: 'default' }, spec: {} };
    expect((await api.post(TOKENS, same)).status).to.equal(201);
  });

  it('is signed with ES256, by a key that a key set shows', async () => {
    await using api = await newApi();
    const token = await tokenOf(api);
    const [head = '', payload = '', signature = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).to.include({ alg: 'ES256' });
    const { keys } = api.server.serviceAccountKeys() as { keys: [Record<string, unknown>] };
    const key = createPublicKey({ key: keys[0], format: 'jwk' });
    const bytes = Buffer.from(signature, 'base64url');
    const signed = Buffer.from(`${head}.${payload}`);
    expect(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, bytes)).to.equal(true);
  });

  it('passes a review, and authenticates requests', async () => {
    await using api = await newApi();
    const token = await tokenOf(api);
    expect(await review(api, token)).to.nested.include({
      authenticated: true,
      'user.username': 'system:serviceaccount:default:robot',
      'user.groups[1]': 'system:serviceaccounts:default',
    });
    await api.server.listen();
    const response = await fetch(
      `${api.server.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      },
    );
    const self = (await response.json()) as object;
    expect(self).to.nested.include({
      'status.userInfo.username': 'system:serviceaccount:default:robot',
    });
  });

  it('is refused when a character of it is changed, for other audiences, and after its account is gone', async () => {
    await using api = await newApi();
    const token = await tokenOf(api);
    for (const place of [3, Math.floor(token.length / 2), token.length - 2]) {
      const changed = `${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`;
      expect(await review(api, changed), String(place)).to.deep.equal({
        user: {},
        error: 'invalid bearer token',
      });
    }
    expect(await review(api, token, ['x'])).to.deep.equal({
      user: {},
      error:
        '[invalid bearer token, token audiences ["https://kubernetes.default.svc"] is invalid for the target audiences ["x"]]',
    });
    await api.ask('DELETE', `${ACCOUNTS}/robot`);
    expect(await review(api, token)).not.to.have.property('authenticated');
  });

  it('is as valid as the object to which it is bound', async () => {
    await using api = await newApi();
    await api.post(SECRETS, { metadata: { name: 'sec' } });
    const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name: 'sec' };
    const token = await tokenOf(api, { boundObjectRef });
    expect(await review(api, token)).to.include({ authenticated: true });
    await api.ask('DELETE', `${SECRETS}/sec`);
    expect(await review(api, token)).to.deep.equal({
      user: {},
      error: '[invalid bearer token, service account token has been invalidated]',
    });
  });

  it('names the pod to which it is bound, and the node of that pod', async () => {
    await using api = await newApi();
    const node = await api.post('/api/v1/nodes', { metadata: { name: 'n1' } });
    const pod = await api.post(PODS, podOf('one', { serviceAccountName: 'robot', nodeName: 'n1' }));
    expect([node.status, pod.status], pod.text).to.deep.equal([201, 201]);
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'one' };
    const status = await review(api, await tokenOf(api, { boundObjectRef }));
    const uidOf = ({ body }: Answer): string => (body['metadata'] as { uid: string }).uid;
    const { extra } = (status as { user: { extra: Record<string, string[]> } }).user;
    const prefix = 'authentication.kubernetes.io/';
    expect(extra).to.deep.include({
      [`${prefix}node-name`]: ['n1'],
      [`${prefix}node-uid`]: [uidOf(node)],
      [`${prefix}pod-name`]: ['one'],
      [`${prefix}pod-uid`]: [uidOf(pod)],
    });
    expect(Object.keys(extra)).to.have.length(5);
  });

  it('in a secret is valid while the secret holds it and its account is there', async () => {
    await using api = await newApi();
    const account = (await api.get(`${ACCOUNTS}/robot`)).body['metadata'] as { uid: string };
    const secretToken = (secret: string, accountUid: string): string =>
      api.server.issueSecretToken({
        namespace: 'default',
        account: 'robot',
        accountUid,
        secret,
      });
    const invalid = {
      user: {},
      error: '[invalid bearer token, service account token has been invalidated]',
    };
    const token = secretToken('held', account.uid);
    expect(await review(api, token), 'no secret').to.deep.equal(invalid);
    const data = { token: Buffer.from(token).toString('base64') };
    await api.post(SECRETS, { metadata: { name: 'held', finalizers: ['a/b'] }, data });
    expect(await review(api, token)).to.deep.include({
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:robot',
        uid: account.uid,
        groups: [
          'system:serviceaccounts',
          'system:serviceaccounts:default',
          'system:authenticated',
        ],
      },
    });
    expect(await review(api, token, ['other'])).to.deep.equal({
      user: {},
      error: 'invalid bearer token',
    });
    const ofAnother = secretToken('held', 'another');
    await api.merge(`${SECRETS}/held`, {
      data: { token: Buffer.from(ofAnother).toString('base64') },
    });
    expect(await review(api, token), 'another token').to.deep.equal(invalid);
    expect(await review(api, ofAnother), 'another account').to.deep.equal(invalid);
    await api.merge(`${SECRETS}/held`, { data });
    expect(await review(api, token)).to.include({ authenticated: true });
    await api.ask('DELETE', `${SECRETS}/held`);
    expect(await review(api, token), 'a secret that goes').to.deep.equal(invalid);
  });

  it('is refused for what cannot be bound, and for times out of range', async () => {
    await using api = await newApi();
    await api.post(PODS, podOf('one', { serviceAccountName: 'other' }));
    const refusals: readonly (readonly [object, number, string])[] = [
      [{ expirationSeconds: 1 }, 422, 'may not specify a duration less than 10 minutes'],
      [
        { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } },
        404,
        'pods "none" not found',
      ],
      [
        { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'one' } },
        400,
        'different serviceaccount name',
      ],
      [
        { boundObjectRef: { kind: 'Foo', apiVersion: 'v1', name: 'x' } },
        400,
        'object of type /v1, Kind=Foo',
      ],
    ];
    for (const [spec, status, message] of refusals) {
      const answer = await api.post(TOKENS, { spec });
      expect(answer.status, answer.text).to.equal(status);
      expect(answer.body['message']).to.contain(message);
    }
    expect((await api.post(`${ACCOUNTS}/none/token`, { spec: {} })).status).to.equal(404);
    expect((await api.get(TOKENS)).status).to.equal(405);
  });
});
