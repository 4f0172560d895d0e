import { errorMessage } from '../../kernel/failure/errors.ts';
import { sleep } from '../../kernel/time/wait.ts';
import { isAlreadyExists, isInvalid, isNotFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type {
  BootstrapObjects,
  OwnService,
  OwnServiceParts,
} from '../../server/registry/contract/kind-set.ts';
import type { ObjectStore } from '../../server/registry/contract/object-store.ts';
import { serverContext, serverStrategy } from '../../server/registry/contract/server-context.ts';
import { recordAt, recordsAt, type JsonRecord } from '../../meta/json-value.ts';

/** The first address of the service range, which is kept for this service. */
const KUBERNETES_ADDRESS = '10.96.0.1';
const KUBERNETES_PORT = 443;

/** As the creation of the service owns them. The fields of `spec` that are left out have no owner in kube-apiserver either. */
const SERVICE_FIELDS: JsonRecord = {
  'f:metadata': { 'f:labels': { '.': {}, 'f:component': {}, 'f:provider': {} } },
  'f:spec': {
    'f:clusterIP': {},
    'f:internalTrafficPolicy': {},
    'f:ipFamilyPolicy': {},
    'f:ports': {
      '.': {},
      [`k:{"port":${KUBERNETES_PORT},"protocol":"TCP"}`]: {
        '.': {},
        'f:name': {},
        'f:port': {},
        'f:protocol': {},
        'f:targetPort': {},
      },
    },
    'f:sessionAffinity': {},
    'f:type': {},
  },
};

const ADDRESS_FIELDS: JsonRecord = {
  'f:metadata': {
    'f:labels': {
      '.': {},
      'f:ipaddress.kubernetes.io/ip-family': {},
      'f:ipaddress.kubernetes.io/managed-by': {},
    },
  },
  'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} } },
};

/** The service `default/kubernetes` and its address in a new storage, as `KubernetesService` creates them in another one. */
function kubernetesServiceObjects(targetPort: () => number): readonly BootstrapObjects[] {
  return [
    {
      group: '',
      resource: 'services',
      objects: () => [service(targetPort())],
      fields: SERVICE_FIELDS,
    },
    {
      group: 'networking.k8s.io',
      resource: 'ipaddresses',
      objects: () => [ADDRESS],
      fields: ADDRESS_FIELDS,
    },
  ];
}

function service(targetPort: number): UnstructuredObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      labels: { component: 'apiserver', provider: 'kubernetes' },
      name: 'kubernetes',
      namespace: 'default',
    },
    spec: {
      clusterIP: KUBERNETES_ADDRESS,
      clusterIPs: [KUBERNETES_ADDRESS],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: KUBERNETES_PORT, protocol: 'TCP', targetPort }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
    status: { loadBalancer: {} },
  };
}

const ADDRESS: UnstructuredObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IPAddress',
  metadata: {
    labels: {
      'ipaddress.kubernetes.io/ip-family': 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    },
    name: KUBERNETES_ADDRESS,
  },
  spec: { parentRef: { name: 'kubernetes', namespace: 'default', resource: 'services' } },
};

const NAME = 'kubernetes';
const NAMESPACE = 'default';
/** The target port while the server listens on none. See pkg/controlplane --secure-port @ 24a394e. */
const DEFAULT_PORT = 6443;
/** See pkg/controlplane DefaultEndpointReconcilerInterval @ 24a394e. */
const INTERVAL_MS = 10_000;
const ATTEMPTS = 50;
const ATTEMPT_MS = 100;

/**
 * Keeps the service `default/kubernetes`, behind which clients in a cluster find the API server. It is there when `start` returns,
 * unless a process that ended has taken its address less than a minute before. If it is deleted, it comes back within ten seconds,
 * as on a cluster.
 */
export class KubernetesService implements OwnService {
  readonly objects: readonly BootstrapObjects[] = kubernetesServiceObjects(() => {
    this.#waitsForSeeds = false;
    return this.#port;
  });
  readonly #parts: OwnServiceParts;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #port = DEFAULT_PORT;
  /** Whether the seeds are still to be made, with the port of that time. */
  #waitsForSeeds: boolean;

  constructor(parts: OwnServiceParts) {
    this.#parts = parts;
    this.#waitsForSeeds = parts.isSeeded;
  }

  /** Creates the service if it is missing. @throws {ApiError} when the storage fails. */
  async start(): Promise<void> {
    if (!this.#parts.isSeeded) await this.#createInTime();
    this.#running = this.#keep();
  }

  /** Names the port on which the server listens. @throws {ApiError} when the storage fails. */
  async setPort(port: number): Promise<void> {
    this.#port = port;
    if (this.#waitsForSeeds) return;
    const update = (service: UnstructuredObject = {}): UnstructuredObject => {
      const ports = recordsAt(service, 'spec', 'ports').map((one) =>
        one['port'] === KUBERNETES_PORT ? { ...one, targetPort: port } : one,
      );
      return { ...service, spec: { ...recordAt(service, 'spec'), ports } };
    };
    try {
      await this.#services.updateThrough(serverStrategy, serverContext(NAMESPACE), NAME, update);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#create();
    }
  }

  get #services(): ObjectStore {
    return this.#parts.storeOf('', 'services') as ObjectStore;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #keep(): Promise<void> {
    const { runtime, logger } = this.#parts;
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
    const services = this.#services;
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
    const { runtime, logger } = this.#parts;
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
