import type { Client } from '../client/rest/client.ts';
import { EventRecorder } from '../controller/events/event-recorder.ts';
import type { ControllerInspection } from '../controller/builder/controller-inspection.ts';
import { errorMessage, ListwatchError } from '../kernel/failure/errors.ts';
import type { Runtime } from '../kernel/time/runtime.ts';
import type { Logger } from '../kernel/report/logger.ts';
import type { ApiServer } from './server/api-server.ts';
import { adminUser } from '../server/registry/contract/user-info.ts';
import { PublishedObject } from './accounts/published-object.ts';
import { defaultAccount, rootCertificates } from './accounts/publications.ts';
import { TokenSecrets } from './accounts/token-secrets.ts';
import { WORKLOAD_CONTROLLERS, type ClusterController } from './cluster-controller-names.ts';
import { GarbageCollector, type GarbageCollectorInspection } from './garbage/garbage-collector.ts';
import type { ContainerRules } from './life/containers/container-rules.ts';
import type { NodeLife } from './life/node-life.ts';
import type { NodeList } from './life/nodes/node-options.ts';
import { namespaceDeletion } from './namespaces/namespace-deletion.ts';
import { attributesClassesInUse, claimsInUse, volumesInUse } from './protection/claims-in-use.ts';
import { InUseProtection, type ProtectionInspection } from './protection/in-use-protection.ts';
import type { ProtectedKind } from './protection/protected-kind.ts';
import { QuotaUsage, type QuotaInspection } from './quotas/quota-usage.ts';
import { clusterClient } from './resources/cluster-client.ts';
import type { ClusterPart } from './resources/cluster-parts.ts';
import { DiscoveredResources } from './resources/discovered-resources.ts';
import { Workloads, type WorkloadInspection } from './workloads.ts';
import { ResourceMonitors } from './resources/resource-monitors.ts';
import { runningController } from './resources/running-controller.ts';

/** The user of the controllers, as audit and admission see it. */
const USER = adminUser('system:kube-controller-manager');
/** The name under which the controllers write. Tools know it as that of a cluster. */
const FIELD_MANAGER = 'kube-controller-manager';

export interface ClusterControllersOptions {
  readonly server: ApiServer;
  readonly controllers: ReadonlySet<ClusterController>;
  readonly nodes?: NodeList | undefined;
  readonly containers?: ContainerRules | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

type ProtectionController = 'pvc-protection' | 'pv-protection' | 'volumeattributesclass-protection';

const PROTECTED: readonly (readonly [ProtectionController, ProtectedKind])[] = [
  ['pvc-protection', claimsInUse],
  ['pv-protection', volumesInUse],
  ['volumeattributesclass-protection', attributesClassesInUse],
];
/** The controllers that follow what the server serves. */
const ON_RESOURCES: readonly ClusterController[] = [
  'namespace',
  'garbage-collector',
  'resourcequota',
  ...PROTECTED.map(([name]) => name),
  ...WORKLOAD_CONTROLLERS,
];
/** The start does not wait longer for the first account. */
const FIRST_ACCOUNT_MS = 10_000;

/**
 * The state of the controllers; one that does not work is left out.
 *
 * @experimental
 */
export interface ClusterInspection {
  readonly controllers: readonly ClusterController[];
  readonly garbageCollector?: GarbageCollectorInspection | undefined;
  readonly namespaces?: ControllerInspection | undefined;
  readonly quotas?: QuotaInspection | undefined;
  readonly claims?: ProtectionInspection | undefined;
  readonly volumes?: ProtectionInspection | undefined;
  readonly volumeAttributesClasses?: ProtectionInspection | undefined;
  readonly workloads?: WorkloadInspection | undefined;
}

/** The controllers of a cluster at work on a server in the same process. */
export class ClusterControllers implements AsyncDisposable {
  readonly #options: ClusterControllersOptions;
  readonly #parts: ClusterPart[] = [];
  #client: Client | undefined;
  #account: PublishedObject | undefined;
  #garbage: GarbageCollector | undefined;
  #namespaces: ReturnType<typeof namespaceDeletion> | undefined;
  #quotas: QuotaUsage | undefined;
  #workloads: Workloads | undefined;
  readonly #protections = new Map<ProtectionController, InUseProtection>();
  #closed = false;

  constructor(options: ClusterControllersOptions) {
    this.#options = options;
  }

  /**
   * Starts the controllers, and the server if it was not started; the namespace `default` has its account then. May be called again.
   * @throws what the start of the server throws.
   */
  async start(): Promise<void> {
    const { server, controllers, runtime, logger } = this.#options;
    if (controllers.size === 0 || this.#client !== undefined || this.#closed) return;
    const { handler } = server;
    const fieldManager = FIELD_MANAGER;
    this.#client = clusterClient({ handler, user: USER, fieldManager, runtime, logger });
    await server.start();
    // It may have been closed meanwhile.
    if (this.#closed) return;
    if (controllers.has('service-account')) this.#addAccounts(this.#client);
    if (ON_RESOURCES.some((name) => controllers.has(name))) this.#addResources(this.#client);
    for (const part of this.#parts) part.start();
    await this.#firstAccount();
  }

  inspect(): ClusterInspection {
    return {
      controllers: [...this.#options.controllers],
      garbageCollector: this.#garbage?.inspect(),
      namespaces: this.#namespaces?.inspect(),
      quotas: this.#quotas?.inspect(),
      claims: this.#protections.get('pvc-protection')?.inspect(),
      volumes: this.#protections.get('pv-protection')?.inspect(),
      volumeAttributesClasses: this.#protections.get('volumeattributesclass-protection')?.inspect(),
      workloads: this.#workloads?.inspect(),
    };
  }

  /** The work that the parts have still to do, in words. */
  pending(): readonly string[] {
    return this.#parts.flatMap((part) => part.pending?.() ?? []);
  }

  /** The client of the controllers. @throws {ListwatchError} code NOT_STARTED before the start, and without controllers. */
  get client(): Client {
    if (this.#client !== undefined) return this.#client;
    throw new ListwatchError('NOT_STARTED', 'no controller of the cluster has been started');
  }

  /** The nodes of this process and their pods. @throws {ListwatchError} code NOT_STARTED when there are none. */
  get life(): NodeLife {
    const life = this.#workloads?.life;
    if (life !== undefined) return life;
    const text = "no kubelet runs in this cluster: start it with controllers: 'workloads'";
    throw new ListwatchError('NOT_STARTED', text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const ended = this.#parts.map((part) => part[Symbol.asyncDispose]());
    const results = await Promise.allSettled(ended);
    await this.#client?.close();
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      const error = errorMessage(result.reason);
      this.#options.logger.warn('a controller of the cluster did not stop', { error });
    }
  }

  /** Until then, a pod would have to wait. */
  async #firstAccount(): Promise<void> {
    try {
      await this.#account?.whenFirst(FIRST_ACCOUNT_MS);
    } catch (error) {
      if (!this.#closed) this.#options.logger.warn('there is no service account yet', { error });
    }
  }

  #addAccounts(client: Client): void {
    const { server, runtime, logger } = this.#options;
    const authority = server.certificateAuthority;
    const publication = rootCertificates(authority);
    this.#account = new PublishedObject({ client, publication: defaultAccount, runtime, logger });
    this.#parts.push(this.#account);
    this.#parts.push(new PublishedObject({ client, publication, runtime, logger }));
    const sign: ConstructorParameters<typeof TokenSecrets>[0]['sign'] = (subject) =>
      server.issueSecretToken(subject);
    this.#parts.push(new TokenSecrets({ client, authority, sign, runtime, logger }));
  }

  #addResources(client: Client): void {
    const { controllers, runtime, logger } = this.#options;
    const served = new DiscoveredResources(client, { runtime, logger });
    this.#parts.push(served);
    if (controllers.has('namespace')) {
      const namespaces = namespaceDeletion({ client, served, runtime, logger });
      this.#namespaces = namespaces;
      this.#parts.push(runningController(namespaces, { logger }));
    }
    // All of them share the informers, which begin when every handler is there.
    const monitors = new ResourceMonitors({ client, served, runtime, logger });
    if (controllers.has('garbage-collector')) {
      const events = new EventRecorder(client, {
        controller: 'garbage-collector-controller',
        api: 'v1',
        runtime,
        logger,
      });
      this.#parts.push({ start: () => {}, [Symbol.asyncDispose]: () => events.close() });
      this.#garbage = new GarbageCollector({ client, served, monitors, events, runtime, logger });
      this.#parts.push(this.#garbage);
    }
    if (controllers.has('resourcequota')) {
      this.#quotas = new QuotaUsage({ client, served, monitors, runtime, logger });
      this.#parts.push(this.#quotas);
    }
    for (const [name, kind] of PROTECTED) {
      if (!controllers.has(name)) continue;
      const protection = new InUseProtection({ client, kind, monitors, runtime, logger });
      this.#protections.set(name, protection);
      this.#parts.push(protection);
    }
    if (WORKLOAD_CONTROLLERS.some((name) => controllers.has(name))) {
      this.#workloads = new Workloads({ ...this.#options, client, monitors });
      this.#parts.push(this.#workloads);
    }
    // It follows nothing that none of them wants.
    this.#parts.push(monitors);
  }
}
