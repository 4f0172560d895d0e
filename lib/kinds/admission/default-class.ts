import type { UnstructuredObject } from '../../meta/object.ts';
import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import { recordAt, textAt, valueAt } from '../../meta/json-value.ts';
import type { AdmissionPlugIn } from '../../server/registry/contract/plug-in.ts';
import type { FollowedClasses } from './followed-classes.ts';

/** The claim names its class in this annotation, or in its spec. */
export const CLAIM_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const INGRESS_CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

export interface DefaultedResource {
  /** The name of the plug-in in kube-apiserver. */
  readonly plugIn: string;
  readonly group: string;
  readonly resource: string;
  /** The field of the spec that names the class. */
  readonly field: string;
  readonly hasClass: (object: UnstructuredObject) => boolean;
}

/** @see plugin/pkg/admission/storage/storageclass/setdefault @ v1.36.3 */
export const CLAIMS: DefaultedResource = {
  plugIn: 'DefaultStorageClass',
  group: '',
  resource: 'persistentvolumeclaims',
  field: 'storageClassName',
  hasClass: (claim) => isNamed(claim, CLAIM_CLASS_ANNOTATION, 'storageClassName'),
};

/** @see plugin/pkg/admission/network/defaultingressclass @ v1.36.3 */
export const INGRESSES: DefaultedResource = {
  plugIn: 'DefaultIngressClass',
  group: 'networking.k8s.io',
  resource: 'ingresses',
  field: 'ingressClassName',
  hasClass: (ingress) => isNamed(ingress, INGRESS_CLASS_ANNOTATION, 'ingressClassName'),
};

/** The rest of the priority follows from the class. @see plugin/pkg/admission/priority @ v1.36.3 */
export const PODS: DefaultedResource = {
  plugIn: 'Priority',
  group: '',
  resource: 'pods',
  field: 'priorityClassName',
  hasClass: (pod) => textAt(pod, 'spec', 'priorityClassName') !== '',
};

/** An empty name asks for no class, which is a choice too. */
function isNamed(
  { metadata, ...object }: UnstructuredObject,
  annotation: string,
  field: string,
): boolean {
  const isAnnotated = Object.hasOwn(metadata?.annotations ?? {}, annotation);
  return isAnnotated || typeof valueAt(object, 'spec', field) === 'string';
}

/** Gives new objects that name no class the default one. */
export class DefaultClass implements AdmissionPlugIn {
  readonly name: string;
  readonly #resource: DefaultedResource;
  readonly #classes: FollowedClasses;

  constructor(resource: DefaultedResource, classes: FollowedClasses) {
    this.name = resource.plugIn;
    this.#resource = resource;
    this.#classes = classes;
  }

  wants({ group, resource, subresource, operation }: AdmissionScope): boolean {
    if (operation !== 'CREATE' || subresource !== '' || this.#classes.default === undefined) {
      return false;
    }
    return resource === this.#resource.resource && group === this.#resource.group;
  }

  mutate({ object }: AdmissionRequest): void {
    const { default: found } = this.#classes;
    const { hasClass, field } = this.#resource;
    const spec = recordAt(object, 'spec');
    if (found === undefined || object === undefined || spec === undefined) return;
    if (!hasClass(object)) spec[field] = found.name;
  }
}
