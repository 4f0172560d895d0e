import type { KubernetesMinor } from '../../meta/releases/kubernetes-releases.ts';
import { consoleLogger } from '../../kernel/report/console-logger.ts';
import { LOGGER } from '../../kernel/report/logger-rule.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { is, optionsOf } from '../../kernel/options/options-schema.ts';
import { realRuntime } from '../../kernel/time/real-runtime.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { admittedSubresources, admittedVirtual } from '../admission/admitted-resource.ts';
import type { AdmissionHook } from '../admission/admission-hook.ts';
import { ServerAdmission } from '../admission/server-admission.ts';
import { CustomGroupServices } from '../custom/custom-group-services.ts';
import { CustomResources, type CustomResourcesOptions } from '../custom/custom-resources.ts';
import { GenericRegistryStore } from '../registry/generic-registry-store.ts';
import { GracePeriodReaper } from '../registry/writes/grace-period-reaper.ts';
import type { KindDefinition } from '../registry/contract/kind-definition.ts';
import type { KindSet } from '../registry/contract/kind-set.ts';
import { NamespaceLifecycle } from '../registry/namespaces/namespace-lifecycle.ts';
import { KindVersions } from '../registry/kind-versions.ts';
import { installedResource, newRestStorages } from '../registry/rest-storages.ts';
import type { ObjectStore } from '../registry/contract/object-store.ts';
import type { InstalledResource, ResourceRegistry } from '../registry/contract/rest-storage.ts';
import { escalationHooks, type RbacParts } from '../access/authorization/escalation.ts';
import { RbacAuthorizer } from '../access/authorization/rbac-authorizer.ts';
import { RBAC_GROUP, RbacRules } from '../access/authorization/rbac-rules.ts';
import {
  alwaysAllow,
  AUTHORIZATIONS,
  type Authorization,
} from '../registry/contract/access-parts.ts';
import { noNodes, type NodeConnector } from '../registry/contract/node-connector.ts';
import type { UserInfo } from '../registry/contract/user-info.ts';
import { ServiceAccountTokens } from '../access/tokens/service-account-tokens.ts';
import { TokenAuthenticator } from '../access/tokens/token-authenticator.ts';
import type { ServerParts } from '../registry/contract/subresource-parts.ts';
import type { ResourceStorage, StorageFactory } from '../registry/storage-factory.ts';
import type { StoreHooks } from '../registry/contract/store-hooks.ts';
import type { ServiceResolver } from '../webhooks/service-resolver.ts';
import { WebhookCaller } from '../webhooks/webhook-caller.ts';

export interface ApiResourceRegistryOptions {
  /** The kinds that are always served: `builtInKinds`, or `noKinds`. */
  readonly kinds: KindSet;
  /** The users with tokens of their own, besides service accounts. @defaultValue none */
  readonly userOfToken?: ((token: string) => UserInfo | undefined) | undefined;
  /** How it is decided who may do what. @defaultValue 'always-allow' */
  readonly authorization?: Authorization | undefined;
  /** Whether pods need a service account, and get its token. @defaultValue false */
  readonly serviceAccountAdmission?: boolean | undefined;
  /** Hooks of this process that change and refuse requests. @defaultValue none */
  readonly admission?: readonly AdmissionHook[] | undefined;
  /** Answers for nodes. @defaultValue `noNodes` */
  readonly nodes?: NodeConnector | undefined;
  /** See `ApiServerOptions`. */
  readonly serviceAccountKey?: string | undefined;
  /** Where services with webhooks are. @defaultValue `clusterServices` */
  readonly resolveService?: ServiceResolver | undefined;
  /** Makes the storage of each resource. */
  readonly storageFor: StorageFactory;
  /** @defaultValue realRuntime */
  readonly runtime?: Runtime | undefined;
  /** @defaultValue consoleLogger */
  readonly logger?: Logger | undefined;
}

const OPTIONS = optionsOf<ApiResourceRegistryOptions>()('ApiResourceRegistry', {
  kinds: is.object().required,
  userOfToken: is.callback(),
  authorization: is.oneOf(...AUTHORIZATIONS),
  serviceAccountAdmission: is.flag(),
  admission: is.rule<readonly AdmissionHook[]>('an array', Array.isArray),
  nodes: is.object(),
  serviceAccountKey: is.text(),
  resolveService: is.callback(),
  storageFor: is.callback().required,
  runtime: is.object().default(realRuntime),
  logger: LOGGER.default(consoleLogger),
});

const NAMESPACES = '/namespaces';
const API_SERVICES = 'apiregistration.k8s.io/apiservices';
const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

const NO_RESOURCE = {
  namespaced: false,
  singular: '',
  listKind: '',
  shortNames: [],
  categories: [],
} as const;

/** A kind whose objects are stored. */
interface Installation {
  readonly store: GenericRegistryStore;
  readonly storage: ResourceStorage;
  readonly keyRoot: string;
}

/**
 * The resources of a server: the given kinds, and those that custom resource definitions add while it runs.
 *
 * Guarantees:
 * - After `start` the default namespaces exist, and stored custom resource definitions are served.
 * - `generation` changes whenever `all()` does.
 * - Without the kind `namespaces`, namespaced objects can be created in any namespace. Without `customresourcedefinitions` there
 *   are no custom resources.
 */
export class ApiResourceRegistry implements ResourceRegistry, AsyncDisposable {
  readonly minor: KubernetesMinor;
  /** By group and resource. Of several versions the one in which the objects are stored. */
  readonly #installations = new Map<string, Installation>();
  readonly #builtIn: InstalledResource[] = [];
  readonly #hooks: StoreHooks[] = [];
  /** Storages of what is no resource. */
  readonly #inner: ResourceStorage[] = [];
  /** The parts that resources without stored objects use. */
  readonly parts: ServerParts;
  readonly #namespaces: NamespaceLifecycle | undefined;
  readonly #webhooks: WebhookCaller;
  readonly #admission: ServerAdmission;
  readonly #custom: CustomResources | undefined;
  readonly #customGroups: CustomGroupServices;
  readonly #reaper: GracePeriodReaper;
  readonly #rbac: RbacParts | undefined;
  readonly #virtual: readonly InstalledResource[];
  /** The resources that do not change, and the custom ones, by `group/version/resource`. */
  #fixed: ReadonlyMap<string, InstalledResource> = new Map();
  #added: ReadonlyMap<string, InstalledResource> = new Map();
  #all: readonly InstalledResource[] = [];
  #generation = 0;
  #state: 'new' | 'started' | 'closed' = 'new';

  /** @throws {ListwatchError} code INVALID_OPTION. */
  constructor(options: ApiResourceRegistryOptions) {
    const { kinds: set, storageFor, runtime, logger, nodes } = OPTIONS.read(options);
    const kinds = set.definitions();
    this.minor = set.minor;
    this.#reaper = new GracePeriodReaper({ runtime, logger, nodes });
    const storages = storagesOf(kinds, storageFor);
    const storageOf = (name: string): ResourceStorage | undefined => {
      const kind = kinds.find((one) => nameOf(one.describe) === name);
      return kind === undefined ? undefined : storages.get(kind.keyRoot);
    };
    const namespaces = storageOf(NAMESPACES);
    if (namespaces !== undefined) {
      this.#namespaces = new NamespaceLifecycle({
        storage: namespaces,
        runtime,
        logger,
      });
    }
    const admission = this.#namespaces ?? { enter: () => Promise.resolve(() => {}) };
    this.#customGroups = this.#newCustomGroups(runtime, logger);
    this.#webhooks = new WebhookCaller({ runtime, resolveService: options.resolveService });
    this.#admission = new ServerAdmission({
      minor: this.minor,
      hooks: options.admission,
      storeOf: (...name) => this.parts.storeOf(...name),
      caller: this.#webhooks,
      plugIns: (...parts) => set.plugIns(...parts),
      serviceAccounts: options.serviceAccountAdmission,
      namespaces,
      runtime,
      logger,
    });
    const { chain } = this.#admission;
    if (storageOf(DEFINITIONS) !== undefined) {
      const namespaceAdmission = { namespaces: admission, admission: chain };
      this.#custom = this.#newCustom({ storageFor, runtime, logger, ...namespaceAdmission });
    }
    this.#rbac = options.authorization === 'rbac' ? this.#newRbac(runtime, logger) : undefined;
    const parts = this.#serverParts(options, runtime);
    this.parts = parts;
    const reaper = this.#reaper;
    for (const kind of kinds) {
      const { keyRoot, storedApiVersion } = kind;
      const storage = storages.get(keyRoot) as ResourceStorage;
      const name = nameOf(kind.describe);
      const hooks = this.#hooksOf(name, () => this.#kindHooks(kind, storage, storageFor));
      if (hooks !== undefined) this.#hooks.push(hooks);
      const store = new GenericRegistryStore({
        kind,
        storage,
        runtime,
        logger,
        hooks,
        admission,
        chain: {
          plugins: chain,
          versions: new KindVersions(kind, () => kinds.filter((one) => one.keyRoot === keyRoot)),
        },
        reaper,
        storedApiVersion,
      });
      const installed = installedResource(newRestStorages(kind, store, parts));
      this.#builtIn.push(admittedSubresources(installed, chain));
      if (storedApiVersion !== undefined) continue;
      this.#installations.set(name, { store, storage, keyRoot });
    }
    this.#virtual = set.virtual.map((make) => admittedVirtual(make(parts), chain));
    this.#fixed = byPath([...this.#builtIn, ...this.#virtual]);
    this.#refresh();
  }

  get generation(): number {
    return this.#generation;
  }

  lookup(group: string, version: string, resource: string): InstalledResource | undefined {
    const path = `${group}/${version}/${resource}`;
    return this.#added.get(path) ?? this.#fixed.get(path);
  }

  all(): readonly InstalledResource[] {
    return this.#all;
  }

  /**
   * Creates the default namespaces, and serves stored custom resource definitions.
   * @throws {ListwatchError} code ALREADY_STARTED; {ApiError} when the storage fails.
   */
  async start(signal?: AbortSignal): Promise<void> {
    if (this.#state !== 'new') {
      throw new ListwatchError('ALREADY_STARTED', 'ApiResourceRegistry: start() was called before');
    }
    this.#state = 'started';
    const definitions = this.#installations.get(DEFINITIONS);
    if (definitions !== undefined) {
      const { store, storage, keyRoot } = definitions;
      await this.#custom?.start(store, storage, `${keyRoot}/`);
    }
    const namespaces = this.#installations.get(NAMESPACES);
    if (namespaces !== undefined) await this.#namespaces?.start(namespaces.store, signal);
    await this.#admission.start((name) => this.#installations.get(name));
    for (const { store } of this.#installations.values()) await store.resumeGracePeriods();
  }

  /** Reads again what is derived from the stored objects, after they were replaced in the storage. */
  async reload(): Promise<void> {
    for (const hooks of this.#hooks) hooks.reload?.();
    for (const { store } of this.#installations.values()) await store.resumeGracePeriods();
  }

  /** Ends the background work, and closes the storages. */
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#reaper.close();
    this.#webhooks.close();
    const { rules } = this.#rbac ?? {};
    await this.#customGroups.close();
    await this.#admission.close();
    await Promise.all([this.#namespaces?.close(), this.#custom?.close(), rules?.close()]);
    const storages = [...this.#installations.values()].map(({ storage }) => storage);
    await Promise.all(
      [...storages, ...this.#inner].map(async (storage) => {
        await storage[Symbol.asyncDispose]?.();
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #serverParts(
    {
      userOfToken = () => undefined,
      nodes = noNodes,
      serviceAccountKey,
    }: ApiResourceRegistryOptions,
    runtime: Runtime,
  ): ServerParts {
    const storeOf: ServerParts['storeOf'] = (group, resource) =>
      this.#installations.get(nameOf({ group, resource }))?.store;
    const tokens = new ServiceAccountTokens({ runtime, privateKey: serviceAccountKey });
    const authorizer = this.#rbac?.authorizer ?? alwaysAllow;
    const access = new TokenAuthenticator({ tokens, authorizer, storeOf, userOfToken });
    return { minor: this.minor, runtime, storeOf, access, nodes };
  }

  #newRbac(runtime: Runtime, logger: Logger): RbacParts {
    const rules = new RbacRules({
      storageOf: (resource) => this.#installations.get(nameOf({ group: RBAC_GROUP, resource })),
      runtime,
      logger,
    });
    return { rules, authorizer: new RbacAuthorizer(rules) };
  }

  #newCustomGroups(runtime: Runtime, logger: Logger): CustomGroupServices {
    const services = (): ObjectStore | undefined => this.#installations.get(API_SERVICES)?.store;
    return new CustomGroupServices({ runtime, logger, services });
  }

  #newCustom(
    given: Pick<
      CustomResourcesOptions,
      'storageFor' | 'runtime' | 'logger' | 'namespaces' | 'admission'
    >,
  ): CustomResources {
    return new CustomResources({
      ...given,
      minor: this.minor,
      reaper: this.#reaper,
      webhooks: this.#webhooks,
      isBuiltIn: (group, resource) => this.#installations.has(nameOf({ group, resource })),
      onChange: () => {
        this.#refresh();
      },
    });
  }

  #hooksOf(name: string, ofKind: () => StoreHooks | undefined): StoreHooks | undefined {
    const ofServer = name === NAMESPACES ? this.#namespaces?.hooks : this.#custom?.hooks;
    const isOfServer = name === NAMESPACES || name === DEFINITIONS;
    const own = isOfServer ? ofServer : undefined;
    return followedHooks(this.#admission.hooksOf(name), own ?? ofKind());
  }

  #kindHooks(
    kind: KindDefinition,
    storage: ResourceStorage,
    storageFor: StorageFactory,
  ): StoreHooks | undefined {
    const own = this.#newHooks(kind, storage, storageFor);
    return bothHooks(this.#rbac && escalationHooks(this.#rbac, kind.describe), own);
  }

  #newHooks(
    { keyRoot, newHooks }: KindDefinition,
    storage: ResourceStorage,
    storageFor: StorageFactory,
  ): StoreHooks | undefined {
    const { runtime, storeOf } = this.parts;
    return newHooks?.({
      storage,
      keyRoot,
      runtime,
      storeOf,
      storageFor: (root, describe) => {
        const inner = storageFor({ ...describe, ...NO_RESOURCE }, root);
        this.#inner.push(inner);
        return inner;
      },
    });
  }

  #refresh(): void {
    const custom = this.#custom?.installed() ?? [];
    this.#customGroups.follow(custom);
    this.#all = [...this.#builtIn, ...this.#virtual, ...custom];
    this.#generation += 1;
    this.#added = byPath(custom);
  }
}

function byPath(resources: readonly InstalledResource[]): Map<string, InstalledResource> {
  return new Map(
    resources.map((resource) => {
      const { group, version, resource: plural } = resource.main.describe;
      return [`${group}/${version}/${plural}`, resource];
    }),
  );
}

/** The storages of kinds by their key roots; the versions of a kind share one. */
function storagesOf(
  kinds: readonly KindDefinition[],
  storageFor: StorageFactory,
): Map<string, ResourceStorage> {
  const storages = new Map<string, ResourceStorage>();
  for (const { describe, keyRoot } of kinds) {
    if (!storages.has(keyRoot)) storages.set(keyRoot, storageFor(describe, keyRoot));
  }
  return storages;
}

function nameOf({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): string {
  return `${group}/${resource}`;
}

/** The hooks of the roles only refuse writes: they come before those of the kind. */
function bothHooks(
  roles: Pick<StoreHooks, 'authorize'> | undefined,
  own: StoreHooks | undefined,
): StoreHooks | undefined {
  if (roles === undefined || own === undefined) return roles ?? own;
  return {
    ...(own.lookUp && { lookUp: own.lookUp.bind(own) }),
    ...(own.prepareCreate && { prepareCreate: own.prepareCreate.bind(own) }),
    ...(own.prepareUpdate && { prepareUpdate: own.prepareUpdate.bind(own) }),
    ...(own.beginCreate && { beginCreate: own.beginCreate.bind(own) }),
    ...(own.beginUpdate && { beginUpdate: own.beginUpdate.bind(own) }),
    ...(own.afterCreate && { afterCreate: own.afterCreate.bind(own) }),
    ...(own.afterUpdate && { afterUpdate: own.afterUpdate.bind(own) }),
    ...(own.afterDelete && { afterDelete: own.afterDelete.bind(own) }),
    ...(own.reload && { reload: own.reload.bind(own) }),
    authorize: async (...write) => {
      await roles.authorize?.(...write);
      await own.authorize?.(...write);
    },
  };
}

/** The hooks of a kind whose writes admission learns of. */
function followedHooks(
  follower: StoreHooks | undefined,
  own: StoreHooks | undefined,
): StoreHooks | undefined {
  if (follower === undefined || own === undefined) return follower ?? own;
  return {
    ...bothHooks({}, own),
    afterCreate: (stored) => {
      follower.afterCreate?.(stored);
      own.afterCreate?.(stored);
    },
    afterUpdate: (stored) => {
      follower.afterUpdate?.(stored);
      own.afterUpdate?.(stored);
    },
    afterDelete: async (stored) => {
      await follower.afterDelete?.(stored);
      await own.afterDelete?.(stored);
    },
  };
}
