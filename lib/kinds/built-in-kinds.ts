import type { KindSet } from '../server/registry/contract/kind-set.ts';
import { builtInPlugIns } from './admission/built-in-plug-ins.ts';
import { BOOTSTRAP_OBJECTS } from './bootstrap/bootstrap-objects.ts';
import { KubernetesService } from './bootstrap/kubernetes-service.ts';
import { builtInDefinitions } from './built-in-definitions.ts';
import type { UnstructuredObject } from '../meta/object.ts';
import { parseApiVersion } from '../meta/resource.ts';
import type { KindType } from '../server/registry/contract/kind-definition.ts';
import { DecodeProblems } from '../server/registry/typed/decode-problems.ts';
import { typeOfKind } from './kind-types.ts';
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

/** The built-in resources without stored objects. */
const virtualResources: readonly VirtualResource[] = [
  componentStatuses,
  ...[
    bindings,
    selfSubjectReviews,
    tokenReviews,
    localSubjectAccessReviews,
    selfSubjectAccessReviews,
    selfSubjectRulesReviews,
    subjectAccessReviews,
  ].map(typedResource),
];

/** Types of kinds that were read, by API version and kind. */
const types = new Map<string, KindType>();

/**
 * An object of a built-in kind as kube-apiserver reads it from its storage: with the defaults of its kind. Some are not stored, because
 * they are cleared after the object of the request got them, as the phase of a new claim; an older server knew fewer.
 */
function withReadDefaults(object: UnstructuredObject): UnstructuredObject {
  const { apiVersion = '', kind = '' } = object;
  const name = `${apiVersion}/${kind}`;
  let type = types.get(name);
  if (type === undefined) {
    type = typeOfKind({ ...parseApiVersion(apiVersion), kind });
    types.set(name, type);
  }
  return type.read(object, new DecodeProblems());
}

/** The kinds of Kubernetes: those of kube-apiserver's recorded surface, with its plug-ins of admission and its bootstrap objects. */
export const builtInKinds: KindSet = {
  definitions: builtInDefinitions,
  virtual: virtualResources,
  plugIns: builtInPlugIns,
  withReadDefaults,
  bootstrapObjects: BOOTSTRAP_OBJECTS,
  newOwnService: (parts) => new KubernetesService(parts),
};
