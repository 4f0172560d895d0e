import { apiVersionOf } from '../../../meta/resource.ts';
import type { ServedGroup } from '../explain/read-discovery.ts';
import { DiscoveredApiResource, type ApiResource } from './api-resource.ts';

const DNS_NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const KIND = /^[A-Za-z][A-Za-z0-9]{0,251}$/;

/** The resources of a server at one moment. */
export class ApiSurface {
  /** The core group first, then the groups in the order of the server; the preferred version of a group first. */
  readonly resources: readonly ApiResource[];
  /** API versions whose server does not answer, such as `metrics.k8s.io/v1beta1`. */
  readonly stale: ReadonlySet<string>;
  /** Entries whose names cannot be names of resources, kinds or groups. They are left out. */
  readonly refused: number;
  readonly #ofApiVersion: ReadonlyMap<string, readonly ApiResource[]>;

  constructor(groups: readonly ServedGroup[]) {
    const ofApiVersion = new Map<string, readonly ApiResource[]>();
    const stale = new Set<string>();
    let refused = 0;
    for (const { name: group, versions } of groups) {
      for (const { version, resources: served = [], isStale = false } of versions) {
        const apiVersion = apiVersionOf({ group, version });
        if (!DNS_NAME.test(version) || (group !== '' && !DNS_NAME.test(group))) {
          refused += 1;
          continue;
        }
        const kept = served.filter(({ name, kind }) => DNS_NAME.test(name) && KIND.test(kind));
        refused += served.length - kept.length;
        if (isStale) stale.add(apiVersion);
        if (ofApiVersion.has(apiVersion)) continue;
        const resources = kept.map(
          (one) => new DiscoveredApiResource({ group, version }, one, isStale),
        );
        ofApiVersion.set(apiVersion, resources);
      }
    }
    this.#ofApiVersion = ofApiVersion;
    this.resources = [...ofApiVersion.values()].flat();
    this.stale = stale;
    this.refused = refused;
  }

  /** The resources of an API version; undefined if it is not served. */
  of(apiVersion: string): readonly ApiResource[] | undefined {
    return this.#ofApiVersion.get(apiVersion);
  }

  /**
   * The resource that a text of a person names. Plural and singular names count before short names, and these before kinds; of several
   * resources the first one counts. A group may be cut, as in `storageclasses.storage`.
   * @see client-go restmapper/shortcut.go expandResourceShortcut, restmapper/discovery.go NewDiscoveryRESTMapper @ v0.36.3
   */
  named(text: string): ApiResource | undefined {
    const [name = '', ...rest] = text.toLowerCase().split('.');
    const [version, ...unversioned] = rest;
    const group = rest.join('.');
    const isHere: ((one: ApiResource) => boolean)[] =
      rest.length === 0
        ? [() => true]
        : [
            (one) =>
              rest.length > 1 && one.version === version && one.group === unversioned.join('.'),
            (one) => one.group === group,
            (one) => one.group.startsWith(group),
          ];
    for (const here of isHere) {
      const places = this.resources.filter(here);
      const found =
        places.find((one) => one.resource === name || one.singular === name) ??
        places.find((one) => one.shortNames.includes(name)) ??
        places.find((one) => one.kind.toLowerCase() === name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The resources of a category, each in its preferred version. */
  category(name: string): readonly ApiResource[] {
    const found = new Map<string, ApiResource>();
    for (const one of this.resources) {
      if (one.categories.includes(name) && !found.has(one.fullName)) found.set(one.fullName, one);
    }
    return [...found.values()];
  }
}
