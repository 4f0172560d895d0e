import { SharedIndexInformer } from '../../cache/informer/shared-index-informer.ts';
import type { Client } from '../../client/rest/client.ts';
import { RateLimitingQueue } from '../../controller/workqueue/rate-limiting-queue.ts';
import { ReconcileLoop } from '../../controller/runtime/reconcile-loop.ts';
import { isConflict, isNotFound } from '../../meta/failure/failures.ts';
import type { KubernetesObject, ObjectMeta, UnstructuredObject } from '../../meta/object.ts';
import type { PartialObjectMetadata } from '../../meta/partial-object-metadata.ts';
import type { Stored } from '../../meta/stored.ts';
import type { ClusterParts } from '../resources/cluster-parts.ts';
import { WITHIN_PROCESS } from '../resources/cluster-client.ts';

/** The token of a service account that a secret holds. */
export interface AccountOfSecret {
  readonly namespace: string;
  readonly account: string;
  readonly accountUid: string;
  readonly secret: string;
}

export interface TokenSecretsOptions extends ClusterParts {
  readonly client: Client;
  /** The certificates of the server, PEM. */
  readonly authority: string;
  readonly sign: (subject: AccountOfSecret) => string;
}

export const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';
const BY_ACCOUNT = 'byAccount';
const WORKERS = 5;

interface Secret extends UnstructuredObject {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

interface Account extends UnstructuredObject {
  readonly secrets?: readonly { readonly name?: string | undefined }[] | undefined;
}

/** A secret in the queue: what is needed after it is gone, too. */
type SecretKey = readonly [
  namespace: string,
  name: string,
  uid: string,
  account: string,
  accountUid: string,
];

/**
 * Fills the secrets of type `kubernetes.io/service-account-token` with a token, the certificates of the server and the namespace.
 * A secret of an account that does not exist is deleted; an account loses the reference to a secret that was deleted.
 * @see kubernetes pkg/controller/serviceaccount/tokens_controller.go @ v1.36.3
 */
export class TokenSecrets implements AsyncDisposable {
  readonly #options: TokenSecretsOptions;
  readonly #secrets: SharedIndexInformer<Secret, typeof BY_ACCOUNT>;
  readonly #accounts: SharedIndexInformer<PartialObjectMetadata>;
  readonly #queue: RateLimitingQueue;
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: TokenSecretsOptions) {
    const { client, runtime, logger } = options;
    this.#options = options;
    this.#queue = new RateLimitingQueue({ name: 'token secrets', runtime, logger });
    this.#secrets = new SharedIndexInformer<Secret, typeof BY_ACCOUNT>({
      listerWatcher: client.listerWatcher<Secret>(
        { apiVersion: 'v1', resource: 'secrets' },
        { fieldSelector: `type=${TOKEN_SECRET_TYPE}` },
      ),
      name: 'token secrets',
      indexers: { [BY_ACCOUNT]: ({ metadata }) => [accountKey(metadata)] },
      ...WITHIN_PROCESS,
      runtime,
      logger,
    });
    this.#accounts = new SharedIndexInformer<PartialObjectMetadata>({
      listerWatcher: client.listerWatcher<PartialObjectMetadata>(
        { apiVersion: 'v1', resource: 'serviceaccounts' },
        { metadataOnly: true },
      ),
      name: 'accounts of token secrets',
      ...WITHIN_PROCESS,
      runtime,
      logger,
    });
    const add = ({ metadata = {} }: KubernetesObject): void => this.#add(metadata);
    this.#secrets.addHandler({
      view: 'metadata',
      onAdd: add,
      onUpdate: (_before, updated) => add(updated),
      onDelete: add,
    });
    this.#accounts.addHandler({
      view: 'metadata',
      onUpdate: ({ metadata: before }, { key, metadata }) => {
        if (before.uid !== metadata.uid) this.#addSecretsOf(key);
      },
      onDelete: ({ key }) => {
        this.#addSecretsOf(key);
      },
    });
  }

  start(): void {
    const { runtime, logger } = this.#options;
    const { signal } = this.#stop;
    const loop = new ReconcileLoop({
      queue: this.#queue,
      reconcile: ({ key }) => this.#reconcile(JSON.parse(key) as SecretKey),
      concurrency: WORKERS,
      isExpected: isConflict,
      runtime,
      logger,
    });
    this.#running = Promise.allSettled([
      this.#secrets.run({ signal }),
      this.#accounts.run({ signal }),
      loop.run({ signal }),
    ]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #add({ namespace = '', name = '', uid = '', annotations = {} }: ObjectMeta): void {
    const account = annotations[ACCOUNT_NAME] ?? '';
    if (account === '') return;
    const key: SecretKey = [namespace, name, uid, account, annotations[ACCOUNT_UID] ?? ''];
    this.#queue.add(JSON.stringify(key));
  }

  #addSecretsOf(account: string): void {
    for (const { metadata } of this.#secrets.indexer.byIndex(BY_ACCOUNT, account)) {
      this.#add(metadata);
    }
  }

  async #reconcile([namespace, name, uid, account, accountUid]: SecretKey): Promise<void> {
    const { client } = this.#options;
    const { signal } = this.#stop;
    const secret = this.#secrets.indexer.get(`${namespace}/${name}`);
    const owner = await found(
      client.resource<Account>('v1', 'serviceaccounts', { namespace, signal }).get(account),
    );
    const isAbsent =
      owner === undefined || (accountUid !== '' && owner.metadata.uid !== accountUid);
    if (secret === undefined || secret.metadata.uid !== uid) {
      if (!isAbsent) await this.#removeReference(namespace, owner, name);
      return;
    }
    const secrets = client.resource<Secret>('v1', 'secrets', { namespace, signal });
    if (isAbsent) {
      await found(secrets.delete(name, { preconditions: { uid }, ignoreNotFound: true }));
      return;
    }
    const update = this.#filled(secret, owner);
    if (update !== undefined) await found(secrets.update(update));
  }

  /** The secret with what it lacks; undefined if it has everything. The version of the cache makes the write fail if it is stale. */
  #filled(secret: Stored<Secret>, owner: Stored<Account>): Stored<Secret> | undefined {
    const { authority, sign } = this.#options;
    const { data = {}, metadata } = secret;
    const { namespace = '', annotations } = metadata as ObjectMeta;
    const certificates = encoded(authority);
    const isFilled = (data['token'] ?? '') !== '' && (data['namespace'] ?? '') !== '';
    if (isFilled && data['ca.crt'] === certificates) return undefined;
    const { name: account, uid: accountUid } = owner.metadata;
    const token =
      data['token'] || encoded(sign({ namespace, account, accountUid, secret: metadata.name }));
    return {
      ...secret,
      metadata: {
        ...metadata,
        annotations: { ...annotations, [ACCOUNT_NAME]: account, [ACCOUNT_UID]: accountUid },
      },
      data: {
        ...data,
        'ca.crt': certificates,
        namespace: data['namespace'] || encoded(namespace),
        token,
      },
    };
  }

  async #removeReference(namespace: string, owner: Stored<Account>, secret: string): Promise<void> {
    const { secrets = [] } = owner;
    const left = secrets.filter(({ name }) => name !== secret);
    if (left.length === secrets.length) return;
    const { signal } = this.#stop;
    const accounts = this.#options.client.resource<Account>('v1', 'serviceaccounts', {
      namespace,
      signal,
    });
    await found(accounts.update({ ...owner, secrets: left }));
  }
}

function accountKey({ namespace = '', annotations = {} }: ObjectMeta): string {
  return `${namespace}/${annotations[ACCOUNT_NAME] ?? ''}`;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

async function found<R>(call: Promise<R>): Promise<R | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
