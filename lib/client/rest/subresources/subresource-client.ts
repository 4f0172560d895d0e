import type { KubernetesObject } from '../../../meta/object.ts';
import { checkObject, PATCH_TYPES, patchTypeOf } from '../request/call-options.ts';
import { queryString } from '../request/query.ts';
import {
  GET_OPTIONS,
  type GetOptions,
  PATCH_OPTIONS,
  type PatchOptions,
  WRITE_OPTIONS,
  type WriteOptions,
} from '../request/resource-options.ts';
import type { ResourceRequests } from '../request/resource-requests.ts';

/** The calls of one subresource. Each names the object first. `S` is what the server answers with. */
export interface Subresource<S extends object> {
  get(name: string, options?: GetOptions): Promise<S>;
  /** A POST: for subresources that do something, such as `eviction`. */
  create(name: string, body: object, options?: WriteOptions): Promise<S>;
  update(name: string, body: S, options?: WriteOptions): Promise<S>;
  patch(name: string, patch: object, options?: Omit<PatchOptions, 'subresource'>): Promise<S>;
}

export class SubresourceClient<S extends object> implements Subresource<S> {
  readonly #requests: ResourceRequests<KubernetesObject>;
  readonly #subresource: string;

  constructor(requests: ResourceRequests<KubernetesObject>, subresource: string) {
    this.#requests = requests;
    this.#subresource = subresource;
  }

  async get(name: string, options: GetOptions = {}): Promise<S> {
    GET_OPTIONS.read(options, 'get');
    const { resourceVersion, signal } = options;
    const target = { name, subresource: this.#subresource };
    const path = this.#requests.path(options, target) + queryString({ resourceVersion });
    const call = this.#requests.call('get', options, target);
    return await this.#requests.rest.json<S>({ method: 'GET', path, call, signal });
  }

  async create(name: string, body: object, options: WriteOptions = {}): Promise<S> {
    WRITE_OPTIONS.read(options, 'create');
    checkObject('create', body);
    const target = { name, subresource: this.#subresource };
    return await this.#requests.write({ verb: 'create', method: 'POST', target, body }, options);
  }

  async update(name: string, body: S, options: WriteOptions = {}): Promise<S> {
    WRITE_OPTIONS.read(options, 'update');
    checkObject('update', body);
    const target = { name, subresource: this.#subresource };
    return await this.#requests.write({ verb: 'update', method: 'PUT', target, body }, options);
  }

  async patch(
    name: string,
    patch: object,
    options: Omit<PatchOptions, 'subresource'> = {},
  ): Promise<S> {
    PATCH_OPTIONS.read(options, 'patch');
    const contentType = PATCH_TYPES[patchTypeOf(patch, options.type)];
    const target = { name, subresource: this.#subresource };
    return await this.#requests.write(
      { verb: 'patch', method: 'PATCH', target, body: patch, contentType },
      options,
    );
  }
}
