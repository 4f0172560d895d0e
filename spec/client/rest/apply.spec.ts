import { expect } from 'chai';
import { appliedBy } from '../../../lib/client/rest/helpers/applied-by.ts';
import { connect } from '../../../lib/client/rest/connect.ts';
import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import { isApplyConflict, isConflict } from '../../../lib/meta/failure/failures.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import type { ConfigMap } from '../../../lib/types/index.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { failureOf } from '../support/failure-of.ts';

interface Container {
  readonly name: string;
  readonly image?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

interface Deployment extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly Container[] };
    };
  };
}

const type = { apiVersion: 'apps/v1', kind: 'Deployment' };
const labels = { app: 'web' };

async function withDeployments(
  run: (deployments: ResourceClient<Deployment>) => Promise<void>,
): Promise<void> {
  await using server = new ApiServer();
  await server.listen();
  await using client = await connect(server.clientConfig());
  await run(client.resource<Deployment>('apps/v1', 'deployments', { namespace: 'default' }));
}

const web = (replicas: number): Parameters<ResourceClient<Deployment>['apply']>[0] => ({
  ...type,
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: 'app', image: 'web:1', env: [{ name: 'A', value: '1' }] }] },
    },
  },
});

describe('ResourceClient.apply', () => {
  it('creates the object, changes it, and removes what is applied no more', async () => {
    await withDeployments(async (deployments) => {
      const options = { fieldManager: 'shop' };
      const made = await deployments.apply(web(2), options);
      expect([made.spec?.replicas, made.metadata?.generation]).to.deep.equal([2, 1]);
      const container = { name: 'app', image: 'web:2' };
      const spec = { template: { metadata: { labels }, spec: { containers: [container] } } };
      const whole = { ...web(3).spec, ...spec };
      const changed = await deployments.apply({ ...web(3), spec: whole }, options);
      const [app] = changed.spec?.template.spec.containers ?? [];
      expect([changed.spec?.replicas, app?.image, app?.env]).to.deep.equal([3, 'web:2', undefined]);
    });
  });

  it('names the managers and fields of a conflict, and takes them over by force', async () => {
    await withDeployments(async (deployments) => {
      await deployments.apply(web(2), { fieldManager: 'shop' });
      const part = { ...type, metadata: { name: 'web' }, spec: { replicas: 5 } };
      const error = await failureOf(deployments.apply(part, { fieldManager: 'scaler' }));
      expect([isApplyConflict(error), isConflict(error)]).to.deep.equal([true, false]);
      if (!isApplyConflict(error)) throw error;
      expect(error.conflicts).to.deep.equal([
        { manager: 'shop', field: '.spec.replicas', apiVersion: undefined, subresource: undefined },
      ]);
      expect(error.problem).to.equal(
        'other managers have fields of it with other values: .spec.replicas (by "shop")',
      );
      expect(error.remedy).to.equal('leave the fields out, or take them over with option "force"');
      const forced = await deployments.apply(part, { fieldManager: 'scaler', force: true });
      expect(forced.spec?.replicas).to.equal(5);
    });
  });

  it('says what a manager has applied, from which the next apply starts', async () => {
    await withDeployments(async (deployments) => {
      await deployments.apply(web(2), { fieldManager: 'shop' });
      const part = { ...type, metadata: { name: 'web', labels: { tier: 'front' } } };
      const stored = await deployments.apply(part, { fieldManager: 'other' });
      expect(appliedBy(stored, 'shop')).to.deep.equal({
        ...web(2),
        metadata: { name: 'web', namespace: 'default' },
      });
      expect(appliedBy(stored, 'other')).to.deep.equal({
        ...type,
        metadata: { name: 'web', namespace: 'default', labels: { tier: 'front' } },
      });
      expect(appliedBy(stored, 'none')).to.equal(undefined);
      expect(appliedBy(stored, 'shop', { subresource: 'status' })).to.equal(undefined);
      const again = await deployments.apply(appliedBy(stored, 'shop')!, { fieldManager: 'shop' });
      expect(again.metadata?.resourceVersion).to.equal(stored.metadata?.resourceVersion);
    });
  });

  it('needs a field manager, of the call or of the client', async () => {
    await withDeployments(async (deployments) => {
      const error = await failureOf(deployments.apply(web(1)));
      expect(error).to.include({ code: 'INVALID_OPTION' });
      expect(String(error)).to.contain('set option "fieldManager", of the call or the client');
    });
    await using server = new ApiServer();
    await server.listen();
    await using client = await connect({ ...server.clientConfig(), fieldManager: 'shop' });
    const maps = client.resource('v1', 'configmaps', { namespace: 'default' });
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { a: 'b' },
    } satisfies ConfigMap;
    const applied = await maps.apply(map);
    const created = await maps.create({ ...map, metadata: { name: 'b' } });
    expect([applied, created].map(managersOf)).to.deep.equal([['shop Apply'], ['shop Update']]);
  });

  it('refuses objects that were read, and objects without a type or name', async () => {
    await withDeployments(async (deployments) => {
      const read = await deployments.apply(web(1), { fieldManager: 'a' });
      const refused: readonly [object, string, string][] = [
        [read, 'INVALID_OPTION', 'metadata.managedFields'],
        [{ ...web(1), kind: undefined }, 'INVALID_OPTION', 'no apiVersion or no kind'],
        [{ ...web(1), metadata: {} }, 'KEY', 'to be applied has no metadata.name'],
      ];
      for (const [object, code, text] of refused) {
        const error = await failureOf(
          deployments.apply(object as ReturnType<typeof web>, { fieldManager: 'a' }),
        );
        expect(error).to.include({ code });
        expect(String(error)).to.contain(text);
      }
    });
  });
});

function managersOf({ metadata }: KubernetesObject): string[] {
  const { managedFields } = metadata as {
    readonly managedFields: readonly { readonly manager: string; readonly operation: string }[];
  };
  return managedFields.map(({ manager, operation }) => `${manager} ${operation}`);
}
