import type { SelectableFields } from '../../server/registry/contract/kind-definition.ts';
import type { VersionConversion } from '../../server/registry/contract/version-conversion.ts';
import { autoscalerVersions } from './autoscaler-versions.ts';
import { eventFields, eventVersions } from './event-versions.ts';

/** A version of a kind whose objects are stored in another version. */
export interface ServedVersion {
  readonly conversion: VersionConversion;
  /** @defaultValue those of the stored version */
  readonly selectableFields?: SelectableFields | undefined;
}

const SERVED: Readonly<Record<string, ServedVersion>> = {
  'autoscaling/v1/horizontalpodautoscalers': { conversion: autoscalerVersions },
  'events.k8s.io/v1/events': { conversion: eventVersions, selectableFields: eventFields },
};

/** How a built-in resource is served that is stored in another version; undefined when it is stored as it is. */
export function servedVersionOf(
  group: string,
  version: string,
  resource: string,
): ServedVersion | undefined {
  return SERVED[`${group}/${version}/${resource}`];
}
