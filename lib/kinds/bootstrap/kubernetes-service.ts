import { errorMessage } from '../../kernel/failure/errors.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import { isAlreadyExists, isInvalid, isNotFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { ObjectStore } from '../../server/registry/contract/object-store.ts';
import { serverContext, serverStrategy } from '../../server/registry/contract/server-context.ts';
import { KUBERNETES_ADDRESS, KUBERNETES_PORT } from './kubernetes-service-objects.ts';
import { recordAt, recordsAt } from '../../server/registry/rules/json-value.ts';

const NAME = 'kubernetes';
const NAMESPACE = 'default';
/** The target port while the server listens on none. See pkg/controlplane --secure-port @ 24a394e. */
const DEFAULT_PORT = 6443;
/** See pkg/controlplane DefaultEndpointReconcilerInterval @ 24a394e. */
const INTERVAL_MS = 10_000;
const ATTEMPTS = 50;
const ATTEMPT_MS = 100;

export interface KubernetesServiceOptions {
  /** The store of services. */
  readonly services: ObjectStore;
  /** The storage has the service and its address as seeds: those of `kubernetesServiceObjects`. @defaultValue false */
  readonly isSeeded?: boolean | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/**
 * Keeps the service `default/kubernetes`, behind which clients in a cluster find the API server. It is there when `start` returns,
 * unless a process that ended has taken its address less than a minute before. If it is deleted, it comes back within ten seconds,
 * as on a cluster.
 */
export class KubernetesService {
  readonly #options: KubernetesServiceOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #port = DEFAULT_PORT;
  /** Whether the seeds are still to be made, with the port of that time. */
  #waitsForSeeds: boolean;

  constructor(options: KubernetesServiceOptions) {
    this.#options = options;
    this.#waitsForSeeds = options.isSeeded ?? false;
  }

  /** The port for the seeds, which are made now. */
  portForSeeds(): number {
    this.#waitsForSeeds = false;
    return this.#port;
  }

  /** Creates the service if it is missing. @throws {ApiError} when the storage fails. */
  async start(): Promise<void> {
    if (this.#options.isSeeded !== true) await this.#createInTime();
    this.#running = this.#keep();
  }

  /** Names the port on which the server listens. @throws {ApiError} when the storage fails. */
  async setPort(port: number): Promise<void> {
    this.#port = port;
    if (this.#waitsForSeeds) return;
    const { services } = this.#options;
    const update = (service: UnstructuredObject = {}): UnstructuredObject => {
      const ports = recordsAt(service, 'spec', 'ports').map((one) =>
        one['port'] === KUBERNETES_PORT ? { ...one, targetPort: port } : one,
      );
      return { ...service, spec: { ...recordAt(service, 'spec'), ports } };
    };
    try {
      await services.updateThrough(serverStrategy, serverContext(NAMESPACE), NAME, update);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#create();
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #keep(): Promise<void> {
    const { runtime, logger } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await sleep(runtime, INTERVAL_MS, { signal, background: true });
        // A service that is still to be stored was not deleted, and no one waits for it.
        if (!this.#waitsForSeeds) await this.#create();
      } catch (error) {
        if (signal.aborted) return;
        logger.warn('the service default/kubernetes could not be kept', {
          error: errorMessage(error),
        });
      }
    }
  }

  async #create(): Promise<void> {
    const { services } = this.#options;
    const context = serverContext(NAMESPACE, this.#stop.signal);
    try {
      await services.get(context, NAME);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await services.create(context, this.#draft()).catch(ignoreExisting);
    }
  }

  /**
   * Another process on the same storage may have taken the address, and is about to store the service. If that process ended before,
   * the address is free a minute later, and `keep` creates the service then.
   */
  async #createInTime(): Promise<void> {
    const { runtime, logger } = this.#options;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      try {
        await this.#create();
        return;
      } catch (error) {
        if (!isInvalid(error)) throw error;
        if (attempt === ATTEMPTS) {
          logger.warn('the service default/kubernetes comes later', { error: errorMessage(error) });
        } else await sleep(runtime, ATTEMPT_MS, { signal: this.#stop.signal });
      }
    }
  }

  #draft(): UnstructuredObject {
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: NAME,
        namespace: NAMESPACE,
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: {
        ports: [{ name: 'https', protocol: 'TCP', port: KUBERNETES_PORT, targetPort: this.#port }],
        clusterIP: KUBERNETES_ADDRESS,
        ipFamilyPolicy: 'SingleStack',
        type: 'ClusterIP',
        sessionAffinity: 'None',
      },
    };
  }
}

/** Another process on the same storage was faster. */
function ignoreExisting(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}
