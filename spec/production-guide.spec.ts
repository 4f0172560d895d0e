import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect, controller, type Client } from '../lib/index.ts';
import { silentLogger } from '../lib/kernel/index.ts';
import { ApiServer } from '../lib/cluster/server/index.ts';
import { tutorialSteps } from './tutorial/tutorial-steps.ts';

const PAGE = readFileSync(
  join(import.meta.dirname, '..', 'docs', 'guides', 'production.md'),
  'utf8',
);
const MANIFESTS = [...PAGE.matchAll(/^```yaml\n([\s\S]*?)\n```$/gm)].map(([, text = '']) => text);
const DEFINITION = tutorialSteps().find(({ file }) => file?.endsWith('site.yaml'))?.text ?? '';

interface Site {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly greeting: string };
  readonly status?: { readonly page?: string };
}

/** The operator of the tutorial, as the user of the guide's ServiceAccount. */
function siteOperator(client: Client<{ 'example.com/v1/sites': Site }>) {
  return controller(client, 'example.com/v1', 'sites', { logger: silentLogger })
    .owns('v1', 'configmaps')
    .reconcile(async (site, { resource, own, signal }) => {
      const page = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${site.metadata.name}-page` },
        data: { 'index.html': `<p>${site.spec.greeting}</p>` },
      } as const;
      await resource('v1', 'configmaps').apply(own(page), { signal });
      return { status: { page: page.metadata.name } };
    });
}

describe('docs/guides/production.md', () => {
  it('has manifests that a server accepts, and rights that are enough for the operator of the tutorial', async () => {
    await using server = new ApiServer({ logger: silentLogger });
    await server.listen();
    await using admin = await connect({ ...server.clientConfig(), fieldManager: 'kubectl' });
    await admin.applyAll([DEFINITION, ...MANIFESTS].join('\n---\n'));
    await using client = await connect<{ 'example.com/v1/sites': Site }>({
      ...server.clientConfig(),
      fieldManager: 'site-operator',
      impersonate: {
        user: 'system:serviceaccount:site-operator:site-operator',
        groups: ['system:serviceaccounts', 'system:authenticated'],
      },
    });
    const refused: string[] = [];
    await using operator = siteOperator(client);
    void operator.run();
    const sites = admin.resource('example.com/v1', 'sites', { namespace: 'default' });
    await sites.create({
      apiVersion: 'example.com/v1',
      kind: 'Site',
      metadata: { name: 'hello' },
      spec: { greeting: 'good morning' },
    });
    const hasPage = (site: object | undefined): boolean =>
      JSON.stringify(site ?? {}).includes('"page":"hello-page"');
    await sites.wait('hello', hasPage, { timeoutMs: 60_000 });
    for (const { result, key } of operator.inspect().history) {
      if (result !== 'done') refused.push(`${key}: ${result}`);
    }
    expect(refused).to.deep.equal([]);
  });
});
