import type { ProjectNames } from './project-names.ts';

/** From where the files of a project import each other. */
const FROM = {
  operator: './operator.ts',
  operatorInTest: '../src/operator.ts',
  types: './types.ts',
  world: './world.ts',
} as const;

export function operatorTs({ project, group, kind, plural, singular }: ProjectNames): string {
  return `import { controller, type Client } from 'listwatch';
import '${FROM.types}';

/** Keeps a ConfigMap with the page of each ${kind}, and says in its status where the page is. */
export function ${operatorName(kind)}(client: Client) {
  return controller(client, '${group}/v1', '${plural}', { name: '${project}' })
    .owns('v1', 'configmaps')
    .reconcile(async (${singular}, { resource, own }) => {
      const page = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: \`\${${singular}.metadata.name}-page\` },
        data: { 'index.html': \`<p>\${${singular}.spec.greeting}</p>\` },
      } as const;
      await resource('v1', 'configmaps').apply(own(page));
      const ready = { type: 'Ready', status: 'True', reason: 'Published' } as const;
      return { status: { page: page.metadata.name }, conditions: [ready] };
    });
}
`;
}

export function mainTs({ project, kind }: ProjectNames): string {
  return `import { connect, Manager } from 'listwatch';
import { ${operatorName(kind)} } from '${FROM.operator}';

// In a pod: its service account. Elsewhere: the cluster of the kubeconfig, as kubectl finds it.
await using client = await connect({ fieldManager: '${project}' });
await using manager = new Manager(client, {
  endpoints: { port: Number(process.env['PORT'] ?? 8080), host: '0.0.0.0' },
});
manager.add(${operatorName(kind)}(client));
console.log('${project} runs');
await manager.run();
console.log('${project} has ended');
`;
}

export function worldTs({ project, group, kind, plural }: ProjectNames): string {
  return `import { readdir, readFile } from 'node:fs/promises';
import { connect } from 'listwatch';
import { startCluster } from 'listwatch/cluster';
import { ${operatorName(kind)} } from '${FROM.operatorInTest}';

/** A cluster of its own for each test, in this process: the manifests are applied, and the operator works with their rights. */
export async function world() {
  const cluster = await startCluster();
  const { server } = cluster;
  await server.listen();
  const admin = await connect({ ...server.clientConfig(), fieldManager: 'test' });
  for (const name of (await readdir('manifests')).toSorted()) {
    await admin.applyAll(await readFile(\`manifests/\${name}\`, 'utf8'));
  }
  const accounts = admin.resource('v1', 'serviceaccounts', { namespace: '${project}' });
  const { token } = await accounts.createToken('${project}');
  const client = await connect({ server: server.url, token, fieldManager: '${project}' });
  const operator = ${operatorName(kind)}(client);
  void operator.run();
  return {
    server,
    ${plural}: admin.resource('${group}/v1', '${plural}', { namespace: 'default' }),
    pages: admin.resource('v1', 'configmaps', { namespace: 'default' }),
    async [Symbol.asyncDispose]() {
      await operator.close();
      await client.close();
      await admin.close();
      await cluster.close();
    },
  };
}
`;
}

export function operatorTestTs({ group, kind, plural, singular }: ProjectNames): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '${FROM.world}';

const hello = {
  apiVersion: '${group}/v1',
  kind: '${kind}',
  metadata: { name: 'hello' },
  spec: { greeting: 'good morning' },
} as const;

/** Only a hang reaches it. */
const limits = { timeoutMs: 120_000 };

test('a ${singular} gets its page, and says so', async () => {
  await using one = await world();
  await one.${plural}.create(hello);
  const found = await one.${plural}.wait('hello', (${singular}) => ${singular}?.status?.page !== undefined, limits);
  assert.equal(found?.status?.page, 'hello-page');
  assert.equal(found?.status?.conditions?.[0]?.status, 'True');
  const page = await one.pages.get('hello-page');
  assert.equal(page.data?.['index.html'], '<p>good morning</p>');
});

test('a page follows its ${singular}, and goes with it', async () => {
  await using one = await world();
  await one.${plural}.create(hello);
  await one.pages.wait('hello-page', (page) => page !== undefined, limits);
  await one.${plural}.patch('hello', { spec: { greeting: 'good night' } });
  const isNight = (text: string | undefined): boolean => text === '<p>good night</p>';
  await one.pages.wait('hello-page', (page) => isNight(page?.data?.['index.html']), limits);
  await one.${plural}.delete('hello');
  await one.pages.wait('hello-page', (page) => page === undefined, limits);
});

test('a page that was deleted comes back, although the network breaks', async () => {
  await using one = await world();
  await one.${plural}.create(hello);
  const first = await one.pages.wait('hello-page', (page) => page !== undefined, limits);
  await one.pages.delete('hello-page');
  await one.server.closeConnections();
  const isNew = (uid: string | undefined): boolean => uid !== undefined && uid !== first?.metadata.uid;
  await one.pages.wait('hello-page', (page) => isNew(page?.metadata.uid), limits);
});
`;
}

function operatorName(kind: string): string {
  return `${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}Operator`;
}
