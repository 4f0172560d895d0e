import { ListwatchError } from '../../../kernel/failure/errors.ts';
import type { ApiCall, ApiVerb } from '../../../meta/api-call.ts';
import { objectKey } from '../../../meta/key.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { ResourceCollection } from './resource-collection.ts';
import { queryString } from './query.ts';
import type { SentWrite } from './own-change.ts';
import type { RestClient, RestRequest } from './rest-client.ts';
import type { CallOptions, WriteOptions } from './resource-options.ts';
import type { WriteReporter } from './write-observer.ts';

/** An object that names its own resource and namespace. */
export interface Addressed {
  readonly metadata?:
    | { readonly name?: string | undefined; readonly namespace?: string | undefined }
    | undefined;
}

/** The target of a call below its collection. */
export interface CallTarget {
  readonly name?: string;
  /** Its name and namespace count where none are given. */
  readonly object?: Addressed;
  readonly subresource?: string | undefined;
}

export interface ResourceRequestsOptions<T extends KubernetesObject> {
  readonly rest: RestClient;
  readonly collection: ResourceCollection;
  /** Left out: all namespaces, or a resource that has none. */
  readonly namespace: string | undefined;
  /** The field manager of writes that name none. */
  readonly fieldManager: string | undefined;
  readonly writes: WriteReporter<T>;
}

/** A request for an object or a part of one, before it has a method. */
export interface Written extends Pick<RestRequest, 'method' | 'body' | 'contentType' | 'retry'> {
  readonly verb: ApiVerb;
  readonly target: CallTarget;
  /** Parts of the query that only this verb has. */
  readonly query?: Readonly<Record<string, string | boolean | undefined>>;
}

/** Where the calls of one resource go, and what their errors say. */
export class ResourceRequests<T extends KubernetesObject> {
  readonly rest: RestClient;
  readonly collection: ResourceCollection;
  readonly namespace: string | undefined;
  readonly fieldManager: string | undefined;
  readonly #writes: WriteReporter<T>;

  constructor(options: ResourceRequestsOptions<T>) {
    this.rest = options.rest;
    this.collection = options.collection;
    this.namespace = options.namespace;
    this.fieldManager = options.fieldManager;
    this.#writes = options.writes;
  }

  /** Sends a create, update, patch or apply, and reports the answer to the observer of writes. */
  async write<S = T>(written: Written, options: WriteOptions): Promise<S> {
    const { verb, target, method, body, contentType, query, retry } = written;
    const { signal, dryRun, fieldValidation, fieldManager = this.fieldManager } = options;
    const asked = queryString({
      dryRun: dryRun === true ? 'All' : undefined,
      fieldManager,
      fieldValidation,
      ...query,
    });
    const path = this.path(options, target) + asked;
    const call = this.call(verb, options, target);
    const key = this.#keyOf(options, target);
    const sent = this.#writes.begin({
      key,
      creates: verb === 'create',
      body,
      subresource: target.subresource,
    });
    const request = { method, path, call, body, contentType, signal, retry, sent };
    const { apiVersion } = this.collection;
    const { subresource } = target;
    const answered = this.begin(key);
    try {
      const answer = await this.rest.json<T>(request);
      this.#writes.written(answer, { apiVersion, subresource, dryRun }, sent);
      this.keep(answer, { verb, dryRun }, sent);
      return answer as unknown as S;
    } finally {
      answered?.();
    }
  }

  /** Keeps an answered write as the cause of what it leads to. */
  keep(
    answer: T,
    { verb, dryRun }: { readonly verb: ApiVerb; readonly dryRun: boolean | undefined },
    { subresource, span, isMaker = false }: SentWrite,
  ): void {
    if (dryRun === true) return;
    const { apiVersion, resource: plural } = this.collection;
    const resource = `${apiVersion}/${plural}`;
    const { writer } = this.#writes;
    const atMs = this.rest.runtime.monotonicMs();
    this.rest.causes.add(answer, { verb, resource, subresource, atMs, isMaker, writer, span });
  }

  /** Announces a write to runs that its event may lead to before it is answered; the result is called then. Undefined without a tracer. */
  begin(key: string | undefined): (() => void) | undefined {
    return this.rest.tracing && this.rest.causes.begin(`/${this.collection.resource}`, key);
  }

  #keyOf(options: CallOptions, target: CallTarget): string | undefined {
    const { name = target.object?.metadata?.name } = target;
    if (name === undefined) return undefined;
    return objectKey({ namespace: this.namespaceOf(options, target) ?? '', name });
  }

  call(verb: ApiVerb, options: CallOptions, target: CallTarget): ApiCall {
    const { name = target.object?.metadata?.name, subresource } = target;
    const namespace = this.namespaceOf(options, target);
    return this.collection.call(verb, { namespace, name, subresource });
  }

  /** @throws {ListwatchError} code INVALID_OPTION for a name or namespace that would lead to another object. */
  path(options: CallOptions, target: CallTarget): string {
    const { name, subresource } = target;
    // Without a name the path is the collection; a DELETE there would delete all objects.
    if (Object.hasOwn(target, 'name') && typeof name !== 'string') {
      const what = this.collection.describe({});
      throw new ListwatchError(
        'INVALID_OPTION',
        `${what}: the name must be a string, not ${typeof name}`,
      );
    }
    const namespace = this.namespaceOf(options, target);
    return this.collection.path({ namespace, name, subresource });
  }

  namespaceOf({ namespace }: CallOptions, { object }: CallTarget): string | undefined {
    return namespace ?? (object?.metadata?.namespace || this.namespace);
  }

  /** @throws {ListwatchError} code KEY when the object has no name. */
  nameOf(object: Addressed, done: 'updated' | 'applied'): string {
    const name = object.metadata?.name;
    if (typeof name === 'string' && name !== '') return name;
    const what = this.collection.describe({});
    throw new ListwatchError(
      'KEY',
      `an object of ${what} to be ${done} has no metadata.name; give it the name of the stored object`,
    );
  }
}
