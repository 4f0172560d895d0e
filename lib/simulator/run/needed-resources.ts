import type { ApiHandler, ApiResponse } from '../../server/http/api-request.ts';
import { storedTogether } from '../record/stored-resources.ts';

/** A run has asked for a resource that its server does not have: it has to be repeated. */
export class MissingResource extends Error {}

/** Resources that a server needs for itself. */
const OWN: readonly string[] = [
  'namespaces',
  'services',
  'customresourcedefinitions.apiextensions.k8s.io',
];
/** Resources that decide about objects of another one. */
const WITH: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'pods',
    [
      'limitranges',
      'nodes',
      'priorityclasses.scheduling.k8s.io',
      'resourcequotas',
      'runtimeclasses.node.k8s.io',
      'serviceaccounts',
    ],
  ],
  // Where their addresses are allocated.
  ['services', ['ipaddresses.networking.k8s.io', 'servicecidrs.networking.k8s.io']],
]);

const NO_BODY = new Uint8Array();
/** Of documents that are kept; discovery and OpenAPI have fewer. */
const MOST_DOCUMENTS = 1000;

/**
 * The built-in resources that the runs of a world need. A server with all of them takes several times as long to start; what a run asks
 * for and is not here is added, and the run repeated. Documents of discovery are those of a server with all resources.
 */
export class NeededResources {
  readonly #names = new Set<string>(OWN);
  readonly #documents = new Map<string, Promise<ApiResponse>>();
  readonly #full: ApiHandler;

  /** `full`: a server with all resources. */
  constructor(full: ApiHandler) {
    this.#full = full;
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Whether a server with these resources answers as one with all. `fullName`: without subresource. */
  suffices(fullName: string): boolean {
    if (storedTogether(fullName) === undefined) return true;
    const needed = [fullName, ...(WITH.get(fullName) ?? [])];
    return needed.every((one) => this.#names.has(one));
  }

  add(fullName: string): void {
    for (const one of storedTogether(fullName) ?? []) this.#names.add(one);
    for (const one of WITH.get(fullName) ?? []) this.#names.add(one);
  }

  /** The answer to a request that is of no resource, and does not depend on objects. */
  document(url: string, accept: string): Promise<ApiResponse> {
    const key = `${accept} ${url}`;
    let answer = this.#documents.get(key);
    if (answer === undefined) {
      const { signal } = new AbortController();
      const headers = { host: 'simulated', ...(accept === '' ? {} : { accept }) };
      answer = this.#full({ method: 'GET', url, headers, body: NO_BODY, signal });
      if (this.#documents.size < MOST_DOCUMENTS) this.#documents.set(key, answer);
    }
    return answer;
  }
}
