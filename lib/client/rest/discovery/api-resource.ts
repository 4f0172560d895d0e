import { apiVersionOf, groupResource, type ResourceInfo } from '../../../meta/resource.ts';
import type { ServedResource } from '../explain/read-discovery.ts';

export interface ApiSubresource {
  /** E.g. `scale`. */
  readonly name: string;
  /** The kind that it reads and writes, e.g. `autoscaling/v1` and `Scale`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** A resource as the server describes it, in one of its versions. */
export interface ApiResource extends ResourceInfo {
  /** E.g. `apps/v1`. */
  readonly apiVersion: string;
  /** As in RBAC and kubectl: `pods`, `deployments.apps`. */
  readonly fullName: string;
  /** E.g. `deployment`. */
  readonly singular: string;
  /** E.g. `deploy`. */
  readonly shortNames: readonly string[];
  /** E.g. `all`: see `Discovery.category`. */
  readonly categories: readonly string[];
  /** E.g. `list`. */
  readonly verbs: readonly string[];
  readonly subresources: readonly ApiSubresource[];
  /** The server behind this API version did not answer when discovery asked: this is what was known before. */
  readonly stale: boolean;
  /** Whether the server offers a verb: `supports('patch')`, `supports('update', 'status')`. It says nothing about permissions. */
  supports(verb: string, subresource?: string): boolean;
}

/** A resource from a discovery document. */
export class DiscoveredApiResource implements ApiResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly apiVersion: string;
  readonly fullName: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly ApiSubresource[];
  readonly stale: boolean;

  constructor(
    { group, version }: { readonly group: string; readonly version: string },
    served: ServedResource,
    stale: boolean,
  ) {
    this.group = group;
    this.version = version;
    this.kind = served.kind;
    this.resource = served.name;
    this.namespaced = served.namespaced;
    this.apiVersion = apiVersionOf(this);
    this.fullName = groupResource(this);
    this.singular = served.singular || served.kind.toLowerCase();
    this.shortNames = served.shortNames;
    this.categories = served.categories;
    this.verbs = served.verbs;
    this.subresources = served.subresources.map((one) => ({
      name: one.name,
      apiVersion: one.version === '' ? this.apiVersion : apiVersionOf(one),
      kind: one.kind,
      verbs: one.verbs,
    }));
    this.stale = stale;
  }

  supports(verb: string, subresource?: string): boolean {
    if (subresource === undefined) return this.verbs.includes(verb);
    return this.subresources.some(
      ({ name, verbs }) => name === subresource && verbs.includes(verb),
    );
  }
}
