import type { Runtime } from '../../../kernel/time/runtime.ts';
import { withDeadline } from '../../../kernel/time/wait.ts';
import type { HealthCheck } from './health-endpoints.ts';

/** The parts that the checks of a server read. */
export interface ServerParts {
  readonly runtime: Runtime;
  /** Reads a key from the key-value store. */
  readonly probeStore: () => Promise<unknown>;
  /** Resolves when the server has started. */
  readonly whenStarted: () => Promise<void>;
  /** Resolves when all watch caches are filled. */
  readonly whenCachesReady: () => Promise<void>;
  readonly isClosing: () => boolean;
  /** Those of the user; they come after the check of the storage, as `kms-providers` does in kube-apiserver. */
  readonly further?: readonly HealthCheck[] | undefined;
}

/** Longest time of a check. @see apiserver pkg/storage/storagebackend/config.go DefaultHealthcheckTimeout @ 24a394e */
const TIMEOUT_MS = 2000;

/**
 * The checks of kube-apiserver whose parts this server has, under their names there:
 * - `etcd` and `etcd-readiness`: the key-value store answers, embedded or not;
 * - `informer-sync` and `poststarthook/storage-readiness`: all watch caches are filled;
 * - the other `poststarthook/...` and `autoregister-completion`: the start has ended, which reads the definitions of custom resources,
 *   and makes the default namespaces, roles and their bindings, priority classes, service range, APIServices and the service `kubernetes`;
 * - `shutdown`: the server is not closing.
 */
export function serverHealthChecks({
  runtime,
  probeStore,
  whenStarted,
  whenCachesReady,
  isClosing,
  further = [],
}: ServerParts): HealthCheck[] {
  const inTime = async (work: Promise<unknown>, what: string): Promise<void> => {
    await withDeadline(runtime, work, { timeoutMs: TIMEOUT_MS, describe: () => what });
  };
  const store = (): Promise<void> => inTime(probeStore(), 'the answer of the key-value store');
  const started = (): Promise<void> => inTime(whenStarted(), 'the start of the server');
  const caches = async (): Promise<void> => {
    await started();
    await inTime(whenCachesReady(), 'the watch caches');
  };
  return [
    { name: 'etcd', check: store },
    ...further,
    { name: 'etcd-readiness', endpoints: ['readyz'], check: store },
    { name: 'informer-sync', endpoints: ['readyz'], check: caches },
    { name: 'poststarthook/start-apiextensions-controllers', check: started },
    { name: 'poststarthook/crd-informer-synced', check: started },
    { name: 'poststarthook/start-system-namespaces-controller', check: started },
    { name: 'poststarthook/storage-readiness', check: caches },
    { name: 'poststarthook/rbac/bootstrap-roles', check: started },
    { name: 'poststarthook/scheduling/bootstrap-system-priority-classes', check: started },
    { name: 'poststarthook/bootstrap-controller', check: started },
    { name: 'poststarthook/start-kubernetes-service-cidr-controller', check: started },
    { name: 'poststarthook/kube-apiserver-autoregistration', check: started },
    { name: 'autoregister-completion', check: started },
    {
      name: 'shutdown',
      endpoints: ['readyz'],
      check: () => {
        if (isClosing()) throw new Error('the server is closing');
      },
    },
  ];
}
