import type { ResourceClient } from '../../../lib/client/rest/resource-client.ts';
import { deployments } from '../../../lib/cluster/deployments/deployment-controller.ts';
import { replicaSets } from '../../../lib/cluster/replicas/replica-controller.ts';
import type { Stored } from '../../../lib/meta/stored.ts';
import type {
  Deployment,
  DeploymentCondition,
  DeploymentSpec,
  ReplicaSet,
} from '../../../lib/types/index.ts';
import { WorkloadWorld } from '../support/workload-world.ts';

export const labels: { readonly app: string } = { app: 'web' };

/** A Deployment whose template has this image. */
export function deployment(image: string, more: Partial<DeploymentSpec> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 4,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } },
      ...more,
    },
  };
}

/** The Deployment `web` with its ReplicaSets and pods. */
export class Rollouts {
  readonly world: WorkloadWorld;
  readonly deployments: ResourceClient<Deployment>;
  readonly sets: ResourceClient<ReplicaSet>;

  constructor(world: WorkloadWorld) {
    this.world = world;
    const inDefault = { namespace: 'default' };
    this.deployments = world.client.resource('apps/v1', 'deployments', inDefault);
    this.sets = world.client.resource('apps/v1', 'replicasets', inDefault);
  }

  static async run<R>(work: (rollouts: Rollouts) => Promise<R>): Promise<R> {
    return await WorkloadWorld.run([replicaSets, deployments], (world) =>
      work(new Rollouts(world)),
    );
  }

  async get(): Promise<Stored<Deployment>> {
    return await this.deployments.get('web');
  }

  async condition(type: string): Promise<DeploymentCondition | undefined> {
    return (await this.get()).status?.conditions?.find((one) => one.type === type);
  }

  async untilStatus(wanted: Partial<NonNullable<Deployment['status']>>): Promise<void> {
    await this.world.until(`status ${JSON.stringify(wanted)}`, async () => {
      const status: object = (await this.get()).status ?? {};
      return Object.entries(wanted).every(
        ([name, value]) => (Reflect.get(status, name) ?? 0) === value,
      );
    });
  }

  async untilReason(type: string, reason: string): Promise<DeploymentCondition> {
    let condition: DeploymentCondition | undefined;
    await this.world.until(`${type} ${reason}`, async () => {
      condition = await this.condition(type);
      return condition?.reason === reason;
    });
    return condition ?? {};
  }

  /** Creates it, and makes its pods ready. */
  async rolledOut(image: string, more: Partial<DeploymentSpec> = {}): Promise<void> {
    await this.deployments.create(deployment(image, more));
    await this.untilStatus({ replicas: more.replicas ?? 4 });
    await this.untilDone();
  }

  async setImage(image: string): Promise<void> {
    const { template } = deployment(image).spec;
    await this.deployments.patch('web', { spec: { template } }, { type: 'strategic' });
  }

  /** Makes pods ready until the rollout is complete. */
  async untilDone(watch: () => Promise<void> = async () => {}): Promise<void> {
    await this.world.until('the rollout is complete', async () => {
      await watch();
      await this.world.readyAll();
      const { metadata, spec, status = {} } = await this.get();
      const counts = [status.replicas, status.updatedReplicas, status.availableReplicas];
      const isSeen = status.observedGeneration === metadata.generation;
      return isSeen && counts.every((count) => (count ?? 0) === spec.replicas);
    });
  }

  /** The ReplicaSets by the image of their template. */
  async set(image: string): Promise<Stored<ReplicaSet> | undefined> {
    const { items } = await this.sets.list();
    return items.find(({ spec }) => spec.template?.spec?.containers[0]?.image === image);
  }

  /** The wanted replicas by image. */
  async sizes(): Promise<Readonly<Record<string, number>>> {
    const { items } = await this.sets.list();
    return Object.fromEntries(
      items.map(({ spec }) => [
        spec.template?.spec?.containers[0]?.image ?? '',
        spec.replicas ?? 0,
      ]),
    );
  }

  async untilSizes(wanted: Readonly<Record<string, number>>): Promise<void> {
    await this.world.until(`sizes ${JSON.stringify(wanted)}`, async () => {
      const sizes = await this.sizes();
      const images = Object.keys({ ...wanted, ...sizes });
      return images.every((image) => sizes[image] === wanted[image]);
    });
  }

  async notes(reason: string): Promise<readonly string[]> {
    return (await this.world.events(reason)).map(({ message = '' }) => message);
  }
}
