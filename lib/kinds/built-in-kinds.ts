import type { KindSet } from '../server/registry/contract/kind-set.ts';
import { builtInPlugIns } from './admission/built-in-plug-ins.ts';
import { bootstrapObjects } from './bootstrap/bootstrap-objects.ts';
import { KubernetesService } from './bootstrap/kubernetes-service.ts';
import { BuiltInDefinitions } from './built-in-definitions.ts';
import { NEWEST_MINOR, type KubernetesMinor } from '../meta/releases/kubernetes-releases.ts';
import { KindTypes } from './kind-types.ts';
import type { VirtualResource } from '../server/registry/contract/subresource-parts.ts';
import {
  selfSubjectReviews,
  tokenReviews,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from './reviews/access-reviews.ts';
import { componentStatuses } from './reviews/component-statuses.ts';
import { typedResource } from './typed-creation.ts';
import { bindings } from './subresources/pod-binding.ts';

/** By minor version: what is parsed and made of a version is shared by all servers of the process. */
const made = new Map<KubernetesMinor, KindSet>();

function kindsOfMinor(minor: KubernetesMinor): KindSet {
  let kinds = made.get(minor);
  if (kinds === undefined) {
    kinds = newKinds(minor);
    made.set(minor, kinds);
  }
  return kinds;
}

function newKinds(minor: KubernetesMinor): KindSet {
  const types = new KindTypes(minor);
  const definitions = new BuiltInDefinitions(minor, types);
  return {
    minor,
    ofMinor: kindsOfMinor,
    definitions: (options) => definitions.all(options),
    virtual: virtualResources(types),
    plugIns: (parts, ofServer) => builtInPlugIns(parts, ofServer, minor),
    withReadDefaults: (object) => types.read(object),
    bootstrapObjects: bootstrapObjects(minor),
    newOwnService: (parts) => new KubernetesService(parts),
  };
}

/** The built-in resources without stored objects. */
function virtualResources(types: KindTypes): readonly VirtualResource[] {
  return [
    componentStatuses,
    ...[
      bindings,
      selfSubjectReviews,
      tokenReviews,
      localSubjectAccessReviews,
      selfSubjectAccessReviews,
      selfSubjectRulesReviews,
      subjectAccessReviews,
    ].map((make) => typedResource(make, types)),
  ];
}

/** The kinds of Kubernetes: those of kube-apiserver's recorded surface, with its plug-ins of admission and its bootstrap objects. */
export const builtInKinds: KindSet = kindsOfMinor(NEWEST_MINOR);
