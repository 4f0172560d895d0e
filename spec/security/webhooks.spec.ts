import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Client } from '../../lib/client/rest/client.ts';
import { isApiError } from '../../lib/meta/failure/failures.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';
import { ServeFixture } from '../cli/support/serve-fixture.ts';
import { LocalWebhook, type WebhookAnswer } from '../server/webhooks/local-webhook.ts';

const REGISTRATION = 'admissionregistration.k8s.io/v1';
const REVIEW = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
const CALL = 'Internal error occurred: failed calling webhook "check.example.com": ';

type Json = Readonly<Record<string, unknown>>;

/** A webhook that misbehaves, and the refusal of the request that it was asked about. */
interface Misbehaviour {
  readonly title: string;
  readonly mutating?: boolean | undefined;
  /** `uid` is that of the review, and `other` another address. Undefined: no answer. */
  readonly answer: (uid: string, other: string) => WebhookAnswer | undefined;
  readonly says: string;
}

const allowing = (response: Json): WebhookAnswer => ({ body: { ...REVIEW, response } });
const patching = (uid: string, patch: string): WebhookAnswer =>
  allowing({
    uid,
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(patch).toString('base64'),
  });

/** 40 MB in 40 KB. */
const PACKED = gzipSync(Buffer.alloc(40 * 1024 * 1024, ' '));
/** Each one doubles what the first has added. */
const COPIES = Array.from({ length: 30 }, (_, index) => ({
  op: 'copy',
  from: '/data',
  path: `/data/x${index}`,
}));

const MISBEHAVIOURS: readonly Misbehaviour[] = [
  {
    title: 'does not answer',
    answer: () => undefined,
    says: `${CALL}failed to call webhook: Post "{origin}/check?timeout=1s": context deadline exceeded`,
  },
  {
    title: 'redirects to another address',
    answer: (_uid, other) => ({ status: 302, headers: { location: `${other}/take` }, body: '' }),
    says: `${CALL}failed to call webhook: Post "{origin}/check?timeout=1s": redirect to `,
  },
  {
    title: 'redirects with the body to another address',
    answer: (_uid, other) => ({ status: 307, headers: { location: `${other}/take` }, body: '' }),
    says: `${CALL}failed to call webhook: Post "{origin}/check?timeout=1s": redirect to `,
  },
  {
    title: 'allows another request',
    answer: () => allowing({ uid: 'another', allowed: true }),
    says: `${CALL}received invalid webhook response: expected response.uid="`,
  },
  {
    title: 'allows with an answer of another kind',
    answer: (uid) => ({
      body: { apiVersion: 'v1', kind: 'ConfigMap', response: { uid, allowed: true } },
    }),
    says: CALL,
  },
  {
    title: 'answers garbage',
    answer: () => ({ body: '<html>it is allowed</html>' }),
    says: CALL,
  },
  {
    title: 'allows with a failure in its status line',
    answer: (uid) => ({ ...allowing({ uid, allowed: true }), status: 500 }),
    says: `${CALL}failed to call webhook: `,
  },
  {
    title: 'allows a request that it does not name',
    answer: () => allowing({ allowed: true }),
    says: `${CALL}received invalid webhook response: expected response.uid="`,
  },
  {
    title: 'begins an answer and does not end it',
    answer: (uid) => ({ ...allowing({ uid, allowed: true }), isEndless: true }),
    says: `${CALL}failed to call webhook: unexpected error when reading response body. Please retry. Original error: context deadline exceeded`,
  },
  {
    title: 'answers few bytes that unpack to many',
    answer: () => ({
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: PACKED,
    }),
    says: `${CALL}failed to call webhook: `,
  },
  {
    title: 'copies what it has copied by its patch, until memory ends',
    mutating: true,
    answer: (uid) =>
      patching(
        uid,
        JSON.stringify([{ op: 'add', path: '/data', value: { a: 'x'.repeat(1000) } }, ...COPIES]),
      ),
    says: 'Internal error occurred: Request entity too large: the JSON patch copies more than',
  },
  {
    title: 'nests 100,000 levels by its patch',
    mutating: true,
    answer: (uid) => {
      const deep = '['.repeat(100_000) + ']'.repeat(100_000);
      return patching(uid, `[{"op":"add","path":"/data","value":${deep}}]`);
    },
    says: `${CALL}received undecodable patch in webhook response: invalid character '[' exceeded max depth`,
  },
  {
    title: 'moves the object to another namespace by its patch',
    mutating: true,
    answer: (uid) =>
      patching(uid, '[{"op":"replace","path":"/metadata/namespace","value":"kube-system"}]'),
    says: '',
  },
  {
    title: 'reaches for the prototype by its patch',
    mutating: true,
    answer: (uid) => patching(uid, '[{"op":"add","path":"/__proto__/polluted","value":"yes"}]'),
    says: '',
  },
];

describe('webhooks that hang, lie or redirect', () => {
  for (const misbehaviour of MISBEHAVIOURS) {
    const { title, mutating = false, answer, says } = misbehaviour;
    it(`refuse their request alone: one that ${title}`, async () => {
      await withWebhooks(async (client, hook, other) => {
        await register(client, hook, mutating);
        hook.answer = (body) => {
          const { request } = body as { readonly request: { readonly uid: string } };
          return answer(request.uid, other.origin);
        };
        const called = new Promise<void>((resolve) => {
          hook.onCall = resolve;
        });
        const asked = create(client, 'asked', { asked: 'yes' });
        await called;
        expect(await create(client, 'meanwhile')).to.equal('created');
        const refusal = await asked;
        expect(refusal).not.to.equal('created');
        const expected = says.replace('{origin}', hook.origin);
        expect(refusal.slice(0, expected.length)).to.equal(expected);
        expect(other.calls).to.deep.equal([]);
        expect(Object.hasOwn(Object.prototype, 'polluted')).to.equal(false);
      });
    });
  }
});

async function withWebhooks(
  work: (client: Client, hook: LocalWebhook, other: LocalWebhook) => Promise<void>,
): Promise<void> {
  await using fixture = await ServeFixture.make();
  await using run = fixture.serve();
  await using client = await run.client();
  const hook = await LocalWebhook.start();
  const other = await LocalWebhook.start();
  try {
    await work(client, hook, other);
  } finally {
    await hook.close();
    await other.close();
  }
}

/** The message of the refusal, or `created`. */
async function create(client: Client, name: string, labels: Json = {}): Promise<string> {
  const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
  try {
    await maps.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels },
    } as object);
    return 'created';
  } catch (error) {
    if (isApiError(error)) return error.status.message ?? '';
    throw error;
  }
}

async function register(client: Client, hook: LocalWebhook, mutating: boolean): Promise<void> {
  const kind = mutating ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';
  const caBundle = Buffer.from(hook.authority).toString('base64');
  const webhook = {
    name: 'check.example.com',
    clientConfig: { url: `${hook.origin}/check`, caBundle },
    rules: [
      { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
    ],
    objectSelector: { matchLabels: { asked: 'yes' } },
    sideEffects: 'None',
    timeoutSeconds: 1,
    admissionReviewVersions: ['v1'],
  };
  const configuration = { apiVersion: REGISTRATION, kind, metadata: { name: 'test' } };
  await client
    .resource<UnstructuredObject>(REGISTRATION, `${kind.toLowerCase()}s`)
    .create({ ...configuration, webhooks: [webhook] });
}
