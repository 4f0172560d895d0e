import type { KubernetesMinor } from '../../meta/releases/kubernetes-releases.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { notFound } from '../../meta/failure/failures.ts';
import type { Labels } from '../../meta/selectors/label-selector.ts';
import type { Admission } from '../registry/contract/admission.ts';
import type { HookParts } from '../registry/contract/kind-definition.ts';
import type { StoreHooks } from '../registry/contract/store-hooks.ts';
import type { ResourceStorage } from '../registry/storage-factory.ts';
import type { WebhookCaller } from '../webhooks/webhook-caller.ts';
import { AdmissionChain } from './admission-chain.ts';
import { hookPlugIn, type AdmissionHook } from './admission-hook.ts';
import { FollowedObjects } from '../registry/followed/followed-objects.ts';
import type { KindSet } from '../registry/contract/kind-set.ts';
import type { AdmissionPlugIn, Followed, FollowOptions } from '../registry/contract/plug-in.ts';
import { HookSet } from '../webhooks/admission/hook-set.ts';
import { MutatingWebhooks } from '../webhooks/admission/mutating-webhooks.ts';
import { ValidatingWebhooks } from '../webhooks/admission/validating-webhooks.ts';

const GROUP = 'admissionregistration.k8s.io';
const NAMESPACES = { group: '', resource: 'namespaces' };

export interface ServerAdmissionOptions {
  /** Hooks of this process. @defaultValue none */
  readonly hooks?: readonly AdmissionHook[] | undefined;
  /** The objects of a kind; undefined when it is not served. */
  readonly storeOf: HookParts['storeOf'];
  readonly caller: WebhookCaller;
  /** The minor version of Kubernetes that the server is. */
  readonly minor: KubernetesMinor;
  /** Puts the plug-ins of the kinds around those of every server. */
  readonly plugIns: KindSet['plugIns'];
  /** Whether pods get the service accounts of their namespaces. @defaultValue false */
  readonly serviceAccounts?: boolean | undefined;
  /** The storage of the namespaces; undefined when there are none. */
  readonly namespaces: ResourceStorage | undefined;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

type FollowedSet = Pick<FollowedObjects<unknown>, 'hooks' | 'start' | 'close'>;

/** Finds the storage of a resource, by its group and plural. */
type FindStorage = (
  name: string,
) => { readonly storage: ResourceStorage; readonly keyRoot: string } | undefined;

/**
 * The admission of a server: its plug-ins in kube-apiserver's order, as far as requests can show it, and what they know of stored objects.
 * Namespaces that do not exist are refused before it (see `NamespaceLifecycle`).
 */
export class ServerAdmission {
  readonly chain: Admission;
  /** By group and plural. */
  readonly #sets: ReadonlyMap<string, FollowedSet>;

  /** @throws {ListwatchError} code INVALID_OPTION for a hook. */
  constructor({
    minor,
    hooks = [],
    storeOf,
    caller,
    plugIns,
    serviceAccounts = false,
    namespaces,
    runtime,
    logger,
  }: ServerAdmissionOptions) {
    const newSet = (resource: string): HookSet =>
      new HookSet({ resource, caller, runtime, logger });
    const mutating = newSet('mutatingwebhookconfigurations');
    const validating = newSet('validatingwebhookconfigurations');
    const sets = new Map<string, FollowedSet>([
      [`${GROUP}/mutatingwebhookconfigurations`, mutating.configurations],
      [`${GROUP}/validatingwebhookconfigurations`, validating.configurations],
    ]);
    this.#sets = sets;
    const follow = <T>(options: FollowOptions<T>): Followed<T> => {
      const set = new FollowedObjects<T>({ ...options, runtime, logger });
      sets.set(`${options.group}/${options.resource}`, set);
      return set;
    };
    const labelsOf = (namespace: string): Promise<Labels> => namespaceLabels(namespaces, namespace);
    const isSeen = (): boolean =>
      hooks.length > 0 || mutating.all.length > 0 || validating.all.length > 0;
    const ofServer: AdmissionPlugIn[] = [
      ...hooks.map(hookPlugIn),
      new MutatingWebhooks({ set: mutating, minor, runtime, logger, labelsOf }),
      new ValidatingWebhooks({ set: validating, minor, runtime, logger, labelsOf }),
    ];
    const parts = { runtime, logger, storeOf, serviceAccounts, isSeen, follow };
    this.chain = new AdmissionChain(plugIns(parts, ofServer));
  }

  /** The hooks for the store of a resource that admission follows, by its group and plural. */
  hooksOf(name: string): StoreHooks | undefined {
    return this.#sets.get(name)?.hooks;
  }

  /** Reads the stored configurations, and follows them. @throws {ApiError} when they cannot be read. */
  async start(find: FindStorage): Promise<void> {
    const started = [...this.#sets].map(async ([name, set]) => {
      const found = find(name);
      if (found !== undefined) await set.start(found.storage, found.keyRoot);
    });
    await Promise.all(started);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sets.values()].map((set) => set.close()));
  }
}

/** @throws {ApiError} 404. */
async function namespaceLabels(
  storage: ResourceStorage | undefined,
  namespace: string,
): Promise<Labels> {
  const key = `/registry/namespaces/${namespace}`;
  const stored = await storage?.get(key, { ignoreNotFound: true });
  if (stored === undefined) throw notFound(NAMESPACES, namespace);
  return stored.metadata.labels;
}
