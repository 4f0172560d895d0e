import { connect, type ConnectOptions } from '../../lib/client/rest/connect.ts';
import type { Client } from '../../lib/client/rest/client.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';
import { normalise } from '../compare/normalise.ts';
import {
  MAPS_RULE,
  outcome,
  type AdmissionCase,
  type HookSpec,
  type World,
} from './admission-case.ts';
import { answering } from './cases/answering.ts';
import { classes } from './cases/classes.ts';
import { limits } from './cases/limits.ts';
import { matching } from './cases/matching.ts';
import { mutating } from './cases/mutating.ts';
import { protection } from './cases/protection.ts';
import { quotas } from './cases/quotas.ts';
import { WebhookProcess, type Json } from './webhook-process.ts';
import { until } from '../support/until.ts';

export const ADMISSION_CASES: readonly AdmissionCase[] = [
  ...mutating,
  ...matching,
  ...answering,
  ...limits,
  ...quotas,
  ...classes,
  ...protection,
];

const REGISTRATION = 'admissionregistration.k8s.io/v1';
const CLEANED = [
  'v1 configmaps',
  'v1 pods',
  'v1 secrets',
  'apps/v1 deployments',
  'v1 services',
  'v1 persistentvolumeclaims',
];

type Kind = 'mutating' | 'validating';

/** A server that can be asked for the answers of cases. */
export class CaseRunner implements AsyncDisposable {
  readonly #client: Client;
  readonly #run: string;
  readonly #hooks: WebhookProcess;
  readonly #warnings: string[];
  #count = 0;

  private constructor(client: Client, run: string, hooks: WebhookProcess, warnings: string[]) {
    this.#client = client;
    this.#run = run;
    this.#hooks = hooks;
    this.#warnings = warnings;
  }

  static async start(options: ConnectOptions, run: string): Promise<CaseRunner> {
    const warnings: string[] = [];
    const onWarning = ({ text }: { text: string }): void => void warnings.push(text);
    const client = await connect({ ...options, userAgent: 'admission', onWarning });
    return new CaseRunner(client, run, await WebhookProcess.start(), warnings);
  }

  /** The answer of a case, without what differs from run to run. */
  async answer(one: AdmissionCase): Promise<unknown> {
    const name = `${this.#run}-${(this.#count += 1)}`;
    await using world = await CaseWorld.start(this.#client, name, this.#hooks, this.#warnings);
    this.#warnings.length = 0;
    const answer = await one.run(world);
    const text = JSON.stringify(answer ?? null)
      .replaceAll(this.#hooks.origin, '{hook}')
      .replaceAll(name, '{case}')
      .replaceAll(/127\.0\.0\.1:\d+/g, '{address}');
    return normalise(JSON.parse(text), { namespace: '{case}', nowMs: Date.now() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hooks.close();
    await this.#client.close();
  }
}

class CaseWorld implements World, AsyncDisposable {
  readonly client: Client;
  readonly namespace: string;
  readonly warnings: string[];
  readonly #hooks: WebhookProcess;
  readonly #made: (readonly [apiVersion: string, resource: string, name: string])[] = [];

  private constructor(
    client: Client,
    namespace: string,
    hooks: WebhookProcess,
    warnings: string[],
  ) {
    this.client = client;
    this.namespace = namespace;
    this.warnings = warnings;
    this.#hooks = hooks;
  }

  static async start(
    client: Client,
    namespace: string,
    hooks: WebhookProcess,
    warnings: string[],
  ): Promise<CaseWorld> {
    const namespaces = client.resource<UnstructuredObject>('v1', 'namespaces');
    const metadata = { name: namespace, labels: { case: namespace } };
    await namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
    return new CaseWorld(client, namespace, hooks, warnings);
  }

  get origin(): string {
    return this.#hooks.origin;
  }

  async mutating(...hooks: readonly HookSpec[]): Promise<void> {
    await this.#register('mutating', hooks);
  }

  async validating(...hooks: readonly HookSpec[]): Promise<void> {
    await this.#register('validating', hooks);
  }

  seen(path: string): ReturnType<World['seen']> {
    return this.#hooks.seen(`/${this.namespace}/${path}`);
  }

  unique(name: string): string {
    return `${name}-${this.namespace}`;
  }

  remove(apiVersion: string, resource: string, name: string): void {
    this.#made.push([apiVersion, resource, name]);
  }

  async #register(kind: Kind, hooks: readonly HookSpec[]): Promise<void> {
    const resource = `${kind}webhookconfigurations`;
    const name = `${kind}-${this.#made.length}-${this.namespace}`;
    const probe = { path: `probe-${kind}-${this.#made.length}` };
    this.#made.push([REGISTRATION, resource, name]);
    const webhooks = hooks.map((one) => this.#webhook(one));
    const probed = this.#webhook({
      ...probe,
      objectSelector: { matchLabels: { probe: probe.path } },
      answer: () => ({ allowed: false, status: { message: 'called' } }),
    });
    await this.client.resource<UnstructuredObject>(REGISTRATION, resource).create({
      apiVersion: REGISTRATION,
      kind: `${kind === 'mutating' ? 'Mutating' : 'Validating'}WebhookConfiguration`,
      metadata: { name },
      webhooks: [probed, ...webhooks],
    });
    await this.#untilCalled(probe.path);
  }

  /** Creates an object that the last webhook denies, until it does. */
  async #untilCalled(path: string): Promise<void> {
    const maps = this.client.resource<UnstructuredObject>('v1', 'configmaps', {
      namespace: this.namespace,
    });
    const metadata = { name: 'probe', labels: { probe: path } };
    await until(`the server to call ${path}`, async () => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      const answer = JSON.stringify(await outcome(maps.create(object, { dryRun: true })));
      return answer.includes('called');
    });
    this.warnings.length = 0;
  }

  #webhook({ path, answer = () => ({}), ...spec }: HookSpec): Json {
    const full = `/${this.namespace}/${path}`;
    this.#hooks.set(full, answer);
    return {
      name: `${path}.admission.example.com`,
      clientConfig: { url: `${this.origin}${full}`, caBundle: this.#hooks.caBundle },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: [MAPS_RULE],
      namespaceSelector: { matchLabels: { case: this.namespace } },
      objectSelector: { matchExpressions: [{ key: 'probe', operator: 'DoesNotExist' }] },
      ...spec,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [apiVersion, resource, name] of this.#made) {
      await outcome(this.client.resource(apiVersion, resource).delete(name));
    }
    for (const place of CLEANED) {
      const [apiVersion = '', resource = ''] = place.split(' ');
      const all = this.client.resource(apiVersion, resource, { namespace: this.namespace });
      await outcome(all.deleteCollection({ gracePeriodSeconds: 0 }));
    }
    const namespaces = this.client.resource('v1', 'namespaces');
    await outcome(namespaces.delete(this.namespace));
    const metadata = { name: this.namespace };
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} };
    await outcome(namespaces.subresource('finalize').update(this.namespace, body));
  }
}
