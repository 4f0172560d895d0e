import type { KindSet } from '../server/registry/contract/kind-set.ts';
import { builtInPlugIns } from './admission/built-in-plug-ins.ts';
import { BOOTSTRAP_OBJECTS } from './bootstrap/bootstrap-objects.ts';
import { KubernetesService } from './bootstrap/kubernetes-service.ts';
import { builtInDefinitions } from './built-in-definitions.ts';
import { withReadDefaults } from './read-defaults.ts';
import { virtualResources } from './virtual-resources.ts';

/** The kinds of Kubernetes: those of kube-apiserver's recorded surface, with its plug-ins of admission and its bootstrap objects. */
export const builtInKinds: KindSet = {
  definitions: builtInDefinitions,
  virtual: virtualResources,
  plugIns: builtInPlugIns,
  withReadDefaults,
  bootstrapObjects: BOOTSTRAP_OBJECTS,
  newOwnService: (parts) => new KubernetesService(parts),
};
