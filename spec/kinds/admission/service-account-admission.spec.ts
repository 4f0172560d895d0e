import { expect } from 'chai';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { call, type CallOptions } from '../../server/api/support.ts';
import { LocalWebhook } from '../../server/webhooks/local-webhook.ts';

type Json = Readonly<Record<string, unknown>>;

const CORE = '/api/v1/namespaces/default';
const REGISTRATION = 'admissionregistration.k8s.io/v1';
const ENFORCED = { 'kubernetes.io/enforce-mountable-secrets': 'true' };

describe('the admission of pods by their service accounts', () => {
  let server: ApiServer;

  beforeEach(async () => {
    server = new ApiServer({ serviceAccountAdmission: true });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await send('POST', `${CORE}/serviceaccounts`, { body: account });
  });

  afterEach(async () => {
    await server[Symbol.asyncDispose]();
  });

  async function send(method: string, url: string, options: CallOptions = {}): Promise<Json> {
    const { status, json } = await call(server.handler, method, url, options);
    return { ...json(), status: status < 300 ? undefined : status };
  }

  async function create(spec: Json = {}, metadata: Json = { name: 'web' }): Promise<Json> {
    const containers = [{ name: 'web', image: 'web:1' }];
    const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } };
    return await send('POST', `${CORE}/pods`, { body });
  }

  async function restrict(): Promise<void> {
    await send('PATCH', `${CORE}/serviceaccounts/default`, {
      body: { metadata: { annotations: ENFORCED }, secrets: [{ name: 'allowed' }] },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
  }

  async function debug(secret: string): Promise<Json> {
    const envFrom = [{ secretRef: { name: secret } }];
    const ephemeralContainers = [{ name: 'debug', image: 'debug:1', envFrom }];
    return await send('PATCH', `${CORE}/pods/web/ephemeralcontainers`, {
      body: { spec: { ephemeralContainers } },
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    });
  }

  it('is done before webhooks: they see the account and the volume with its token', async () => {
    const hook = await LocalWebhook.start();
    try {
      let seen: Json | undefined;
      hook.answer = (body) => {
        const { request } = body as { request: { uid: string; object: Json } };
        seen ??= request.object;
        return { body: reviewed({ uid: request.uid, allowed: true }) };
      };
      await send('POST', `/apis/${REGISTRATION}/mutatingwebhookconfigurations`, {
        body: configuration(hook),
      });
      const stored = await create();
      const spec = seen?.['spec'] as Json;
      expect(spec['serviceAccountName']).to.equal('default');
      expect(spec['volumes']).to.deep.equal((stored['spec'] as Json)['volumes']);
      expect(JSON.stringify(spec['volumes'])).to.contain('kube-api-access-');
      expect(JSON.stringify(spec['containers'])).to.contain('kubernetes.io/serviceaccount');
    } finally {
      await hook.close();
    }
  });

  it('is done again after a webhook has added a container', async () => {
    const hook = await LocalWebhook.start();
    try {
      hook.answer = (body) => {
        const { request } = body as { request: { uid: string } };
        const patch = [
          { op: 'add', path: '/spec/containers/-', value: { name: 'side', image: 'side:1' } },
        ];
        const text = Buffer.from(JSON.stringify(patch)).toString('base64');
        const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch: text };
        return { body: reviewed(response) };
      };
      await send('POST', `/apis/${REGISTRATION}/mutatingwebhookconfigurations`, {
        body: configuration(hook),
      });
      const { volumes, containers } = (await create())['spec'] as {
        volumes: readonly Json[];
        containers: readonly { name: string; volumeMounts?: readonly Json[] }[];
      };
      expect(volumes).to.have.length(1);
      expect(containers.map(({ name }) => name)).to.deep.equal(['web', 'side']);
      for (const { volumeMounts } of containers) {
        expect(volumeMounts?.map(({ name }) => name)).to.deep.equal([volumes[0]?.['name']]);
      }
    } finally {
      await hook.close();
    }
  });

  it('refuses a secret that a webhook brings in, if the account does not list it', async () => {
    await restrict();
    const hook = await LocalWebhook.start();
    try {
      hook.answer = (body) => {
        const { request } = body as { request: { uid: string } };
        const value = [{ name: 'E', valueFrom: { secretKeyRef: { name: 'other', key: 'k' } } }];
        const patch = [{ op: 'add', path: '/spec/containers/0/env', value }];
        const text = Buffer.from(JSON.stringify(patch)).toString('base64');
        const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch: text };
        return { body: reviewed(response) };
      };
      await send('POST', `/apis/${REGISTRATION}/mutatingwebhookconfigurations`, {
        body: configuration(hook),
      });
      const refused = await create();
      expect(refused['status']).to.equal(403);
      expect(refused['message']).to.contain('referencing secret.secretName="other"');
    } finally {
      await hook.close();
    }
  });

  it('refuses a container for debugging with a secret that the account does not list', async () => {
    await restrict();
    expect(await create()).to.include({ status: undefined });
    const refused = await debug('other');
    expect(refused['status']).to.equal(403);
    expect(refused['message']).to.contain(
      'ephemeral container debug with envFrom referencing secret.secretName="other" is not allowed because service account default does not reference that secret',
    );
    expect(await debug('allowed')).to.include({ status: undefined });
  });

  it('lets an account that restricts nothing use every secret', async () => {
    await create();
    expect(await debug('other')).to.include({ status: undefined });
  });

  it('refuses a pod of an account that does not exist, by the text that its name is made from', async () => {
    const refused = await create({ serviceAccountName: 'missing' }, { generateName: 'web-' });
    expect(refused['status']).to.equal(403);
    expect(refused['message']).to.equal(
      'pods "web-" is forbidden: error looking up service account default/missing: serviceaccount "missing" not found',
    );
  });

  it('takes no part in a change of a pod', async () => {
    await create();
    await send('DELETE', `${CORE}/serviceaccounts/default`);
    const changed = await send('PATCH', `${CORE}/pods/web`, {
      body: { metadata: { labels: { a: 'b' } } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(changed).to.include({ status: undefined });
  });
});

function reviewed(response: Json): Json {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

function configuration(hook: LocalWebhook): Json {
  const caBundle = Buffer.from(hook.authority).toString('base64');
  const rule = {
    operations: ['CREATE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['pods'],
  };
  const webhook = {
    name: 'check.example.com',
    clientConfig: { url: `${hook.origin}/check`, caBundle },
    rules: [rule],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const kind = 'MutatingWebhookConfiguration';
  return { apiVersion: REGISTRATION, kind, metadata: { name: 'test' }, webhooks: [webhook] };
}
