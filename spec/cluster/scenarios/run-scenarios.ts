import type { Client } from '../../../lib/client/rest/client.ts';
import {
  CLUSTER_CONTROLLERS,
  type ClusterController,
} from '../../../lib/cluster/cluster-controller-names.ts';
import { errorMessage } from '../../../lib/kernel/failure/errors.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import type { Runtime } from '../../../lib/kernel/time/runtime.ts';
import { normalise } from '../../compare/normalise.ts';
import { accounts } from './accounts.ts';
import { garbage } from './garbage.ts';
import { moreRollouts } from './more-rollouts.ts';
import { namespaces } from './namespaces.ts';
import { protection } from './protection.ts';
import { quotas } from './quotas.ts';
import { replicaSets } from './replicas.ts';
import { rollouts } from './rollouts.ts';
import { scheduling } from './scheduling.ts';
import { services } from './services.ts';
import { outcome, ScenarioWorld, type Thing } from './scenario-world.ts';
import type { Scenario } from './scenario.ts';

export const SCENARIOS: readonly Scenario[] = [
  ...garbage,
  ...namespaces,
  ...accounts,
  ...quotas,
  ...protection,
  ...rollouts,
  ...moreRollouts,
  ...replicaSets,
  ...services,
  ...scheduling,
];

/** Those of kube-controller-manager and kube-scheduler. The scenarios write what nodes and kubelets would. */
export const CONTROLLERS: readonly ClusterController[] = CLUSTER_CONTROLLERS.filter(
  (name) => !['service-load-balancer', 'ingress-address', 'kubelet'].includes(name),
);

const DEFINITIONS = 'customresourcedefinitions';
const SERVED_AFTER_MS = 500;

export interface ScenarioTarget {
  readonly client: Client;
  readonly runtime?: Runtime | undefined;
  /** Distinguishes runs on one cluster: letters and digits. */
  readonly run: string;
}

/** A cluster with the definitions of two custom resources, on which scenarios are run. */
export class ScenarioRunner implements AsyncDisposable {
  readonly #client: Client;
  readonly #runtime: Runtime;
  readonly #run: string;
  #count = 0;

  private constructor({ client, runtime = realRuntime, run }: ScenarioTarget) {
    this.#client = client;
    this.#runtime = runtime;
    this.#run = run;
  }

  static async start(target: ScenarioTarget): Promise<ScenarioRunner> {
    const runner = new ScenarioRunner(target);
    for (const [plural, kind, scope] of [
      ['gadgets', 'Gadget', 'Namespaced'],
      ['globes', 'Globe', 'Cluster'],
    ] as const) {
      await runner.#definitions().create(definition(runner.#group, plural, kind, scope));
    }
    return runner;
  }

  /** Whether the garbage collector follows the custom resources: that of a real cluster looks for new ones every 30 s. */
  async whenFollowed(): Promise<void> {
    const world = await this.#world();
    const probe = 'followed';
    await world.sleep(SERVED_AFTER_MS);
    const owner = await world.gadget(probe);
    const { name, uid } = owner.metadata;
    const kind = 'Gadget';
    const reference = { apiVersion: `${this.#group}/v1`, kind, name, uid };
    await world.map('probe', [{ ...reference, blockOwnerDeletion: true }]);
    const gadgets = world.of(`${this.#group}/v1/gadgets`);
    await gadgets.delete(probe, { propagationPolicy: 'Foreground' });
    await world.untilGone(probe, `${this.#group}/v1/gadgets`);
  }

  /** The answer of a scenario, without what differs from run to run. */
  async answer(scenario: Scenario): Promise<unknown> {
    const world = await this.#world();
    let answer: unknown;
    try {
      answer = await scenario.run(world);
    } catch (error) {
      answer = { failed: errorMessage(error) };
    }
    await outcome(world.global('v1/namespaces').delete(world.namespace));
    const text = JSON.stringify(answer ?? null).replaceAll(this.#group, '{group}');
    return normalise(JSON.parse(text), {
      namespace: world.namespace,
      nowMs: this.#runtime.wallMs(),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const plural of ['gadgets', 'globes']) {
      await outcome(this.#definitions().delete(`${plural}.${this.#group}`));
    }
    await this.#client.close();
  }

  get #group(): string {
    return `${this.#run}.scenarios.example.com`;
  }

  #definitions(): ReturnType<ScenarioWorld['global']> {
    return this.#client.resource<Thing>('apiextensions.k8s.io/v1', DEFINITIONS);
  }

  async #world(): Promise<ScenarioWorld> {
    this.#count += 1;
    const namespace = `scenario-${this.#run}-${this.#count}`;
    const world = new ScenarioWorld({
      client: this.#client,
      runtime: this.#runtime,
      namespace,
      group: this.#group,
    });
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await world.global('v1/namespaces').create(body);
    return world;
  }
}

function definition(group: string, plural: string, kind: string, scope: string): Thing {
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}
