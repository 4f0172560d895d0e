import type { Scenario } from './scenario.ts';
import {
  outcome,
  type Found,
  type Json,
  type ScenarioWorld,
  type Thing,
} from './scenario-world.ts';

const ACCOUNTS = 'v1/serviceaccounts';
const SECRETS = 'v1/secrets';
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const ACCOUNT = 'kubernetes.io/service-account.name';

/** Service accounts, the secrets with their tokens, and what pods get of them. */
export const accounts: readonly Scenario[] = [
  {
    title: 'a namespace has the account default and the certificates of the server',
    run: async (world) => {
      await world.untilIs('default', () => true, ACCOUNTS);
      const map = await world.untilIs('kube-root-ca.crt', () => true);
      const account = await world.of(ACCOUNTS).get('default');
      return { account: without(account), map: keysOf(map), annotations: map.metadata };
    },
  },
  {
    title: 'the account default comes back',
    run: async (world) => {
      const first = await world.untilIs('default', () => true, ACCOUNTS);
      await world.of(ACCOUNTS).delete('default');
      await world.untilIs(
        'default',
        ({ metadata }) => metadata.uid !== first.metadata.uid,
        ACCOUNTS,
      );
      return 'back';
    },
  },
  {
    title: 'the certificates come back, and are repaired',
    run: async (world) => {
      const name = 'kube-root-ca.crt';
      const first = await world.untilIs(name, () => true);
      await world.of('v1/configmaps').delete(name);
      await world.untilIs(name, ({ metadata }) => metadata.uid !== first.metadata.uid);
      await world.of('v1/configmaps').patch(name, { data: { 'ca.crt': 'no', more: 'x' } });
      const repaired = await world.untilIs(name, (one) => dataOf(one)['ca.crt'] !== 'no');
      return keysOf(repaired);
    },
  },
  {
    title: 'a secret of the type gets a token that works, until the secret is deleted',
    run: async (world) => {
      await tokenSecret(world, 'token', 'default');
      const secret = await world.untilIs(
        'token',
        (one) => dataOf(one)['token'] !== undefined,
        SECRETS,
      );
      const token = Buffer.from(dataOf(secret)['token'] ?? '', 'base64').toString();
      const namespace = Buffer.from(dataOf(secret)['namespace'] ?? '', 'base64').toString();
      const [, claims = ''] = token.split('.');
      const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Json;
      const user = await reviewed(world, token);
      await world.of(SECRETS).delete('token');
      await world.until('the token is refused', async () => {
        return (await reviewed(world, token))['authenticated'] !== true;
      });
      const { annotations } = secret.metadata as { readonly annotations?: Json };
      return { keys: keysOf(secret), annotations, claims: read, namespace, user };
    },
  },
  {
    title: 'the secrets of an account go with it',
    run: async (world) => {
      const metadata = { name: 'robot' };
      await world.of(ACCOUNTS).create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
      await tokenSecret(world, 'token', 'robot');
      await world.untilIs('token', (one) => dataOf(one)['token'] !== undefined, SECRETS);
      await world.of(ACCOUNTS).delete('robot');
      await world.untilGone('token', SECRETS);
      return await world.left(SECRETS);
    },
  },
  {
    title: 'a secret of an account that does not exist goes',
    run: async (world) => {
      await tokenSecret(world, 'token', 'missing');
      await world.untilGone('token', SECRETS);
      return await world.left(SECRETS);
    },
  },
  {
    title: 'an account loses the name of a secret that is deleted',
    run: async (world) => {
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
      const secrets = [{ name: 'token' }, { name: 'other' }];
      await world.of(ACCOUNTS).create({ ...account, secrets });
      await tokenSecret(world, 'token', 'robot');
      await world.untilIs('token', (one) => dataOf(one)['token'] !== undefined, SECRETS);
      await world.of(SECRETS).delete('token');
      const found = await world.untilIs(
        'robot',
        (one) => JSON.stringify(one['secrets']) === '[{"name":"other"}]',
        ACCOUNTS,
      );
      return found['secrets'];
    },
  },
  {
    title: 'a pod gets the account default and its token, also at once after its namespace',
    run: async (world) => await made(world, {}),
  },
  {
    title: 'a pod with init containers, and with a mount of its own at the place of the token',
    run: async (world) => {
      const own = { name: 'own', mountPath: TOKEN_PATH };
      return await made(world, {
        containers: [
          { name: 'web', image: 'web:1', volumeMounts: [own] },
          { name: 'side', image: 'side:1' },
        ],
        initContainers: [{ name: 'init', image: 'init:1' }],
        volumes: [{ name: 'own', emptyDir: {} }],
      });
    },
  },
  {
    title: 'a pod whose containers all have a mount there gets no volume',
    run: async (world) => {
      const own = { name: 'own', mountPath: TOKEN_PATH };
      return await made(world, {
        containers: [{ name: 'web', image: 'web:1', volumeMounts: [own] }],
        volumes: [{ name: 'own', emptyDir: {} }],
      });
    },
  },
  {
    title: 'a pod that wants no token',
    run: async (world) => await made(world, { automountServiceAccountToken: false }),
  },
  {
    title: 'an account that gives no token, pull secrets of an account',
    run: async (world) => {
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
      const imagePullSecrets = [{ name: 'registry' }];
      const automountServiceAccountToken = false;
      await world
        .of(ACCOUNTS)
        .create({ ...account, imagePullSecrets, automountServiceAccountToken });
      const serviceAccountName = 'robot';
      return [
        await made(world, { serviceAccountName }),
        await made(world, { serviceAccountName, imagePullSecrets: [{ name: 'own' }] }),
        await made(world, { serviceAccountName, automountServiceAccountToken: true }),
      ];
    },
  },
  {
    title: 'a pod of an account that does not exist is refused',
    run: async (world) => await made(world, { serviceAccountName: 'missing' }),
  },
  {
    title: 'an account that restricts secrets',
    run: async (world) => {
      const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
      await world.of(ACCOUNTS).create({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'robot', annotations },
        secrets: [{ name: 'allowed' }],
      });
      const serviceAccountName = 'robot';
      const volume = (secretName: string): Json => ({ name: 'v', secret: { secretName } });
      const key = { secretKeyRef: { name: 'other', key: 'k' } };
      const env = [{ name: 'E', valueFrom: key }];
      return [
        await made(world, { serviceAccountName, volumes: [volume('allowed')] }),
        await made(world, { serviceAccountName, volumes: [volume('other')] }),
        await made(world, { serviceAccountName, containers: [{ name: 'web', image: 'w', env }] }),
        await made(world, { serviceAccountName, imagePullSecrets: [{ name: 'other' }] }),
      ];
    },
  },
  {
    title: 'mirror pods get nothing, and may name nothing',
    run: async (world) => {
      const annotations = { 'kubernetes.io/config.mirror': 'x' };
      return [
        await made(world, { nodeName: 'n' }, annotations),
        await made(world, { nodeName: 'n', serviceAccountName: 'default' }, annotations),
        await made(world, { nodeName: 'n', imagePullSecrets: [{ name: 's' }] }, annotations),
      ];
    },
  },
];

let pods = 0;

/** The fields of a new pod from its account, or the reason of its refusal. */
async function made(world: ScenarioWorld, spec: Json, annotations: Json = {}): Promise<unknown> {
  pods += 1;
  const name = `pod-${pods}`;
  const containers = [{ name: 'web', image: 'web:1' }];
  const metadata = { name, annotations } as NonNullable<Thing['metadata']>;
  const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } };
  const answer = (await outcome(world.of('v1/pods').create(body))) as Thing;
  const text = JSON.stringify('spec' in answer ? accountParts(answer['spec'] as Json) : answer);
  const known = text.replaceAll(name, 'pod').replaceAll(/kube-api-access-\w+/g, 'access');
  return JSON.parse(known) as unknown;
}

function accountParts(spec: Json): Json {
  const { serviceAccountName, serviceAccount, imagePullSecrets, volumes } = spec;
  const mounts = ['initContainers', 'containers'].map((field) =>
    ((spec[field] ?? []) as readonly Json[]).map((one) => one['volumeMounts']),
  );
  return { serviceAccountName, serviceAccount, imagePullSecrets, volumes, mounts };
}

async function tokenSecret(world: ScenarioWorld, name: string, account: string): Promise<void> {
  if (account === 'default') await world.untilIs(account, () => true, ACCOUNTS);
  await world.of(SECRETS).create({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { name, annotations: { [ACCOUNT]: account } },
  });
}

async function reviewed(world: ScenarioWorld, token: string): Promise<Json> {
  const apiVersion = 'authentication.k8s.io/v1';
  const review = { apiVersion, kind: 'TokenReview', spec: { token } };
  const reviews = world.global(`${apiVersion}/tokenreviews`);
  const { status } = (await reviews.create(review)) as unknown as { readonly status: Json };
  return status;
}

function dataOf(found: Thing): Readonly<Record<string, string>> {
  return (found['data'] ?? {}) as Readonly<Record<string, string>>;
}

function keysOf(found: Thing): readonly string[] {
  return Object.keys(dataOf(found)).toSorted();
}

function without({ metadata, ...rest }: Found): object {
  return { ...rest, name: metadata.name };
}
