import {
  admittedName,
  type AdmissionPlugIn,
  type PlugInParts,
} from '../../server/registry/contract/plug-in.ts';
import { annotatedDefault, FollowedClasses, lowestFirst, newestFirst } from './followed-classes.ts';
import { LimitRanger } from './limit-ranger.ts';
import { PodSecurity } from './pod-security/pod-security-admission.ts';
import { ResourceQuotas } from './resource-quota.ts';
import { ServiceAccountAdmission } from './service-account-admission.ts';
import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import { findClasses, setClasses } from '../pods/pod-classes.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { forbidden } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { KubernetesMinor } from '../../meta/releases/kubernetes-releases.ts';
import { textAt, valueAt, recordAt } from '../../meta/json-value.ts';
import { parseQuantity } from '../../meta/quantity.ts';

/** The claim names its class in this annotation, or in its spec. */
const CLAIM_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const INGRESS_CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

interface DefaultedResource {
  /** The name of the plug-in in kube-apiserver. */
  readonly plugIn: string;
  readonly group: string;
  readonly resource: string;
  /** The field of the spec that names the class. */
  readonly field: string;
  readonly hasClass: (object: UnstructuredObject) => boolean;
}

/** @see plugin/pkg/admission/storage/storageclass/setdefault @ v1.36.3 */
const CLAIMS: DefaultedResource = {
  plugIn: 'DefaultStorageClass',
  group: '',
  resource: 'persistentvolumeclaims',
  field: 'storageClassName',
  hasClass: (claim) => isNamed(claim, CLAIM_CLASS_ANNOTATION, 'storageClassName'),
};

/** @see plugin/pkg/admission/network/defaultingressclass @ v1.36.3 */
const INGRESSES: DefaultedResource = {
  plugIn: 'DefaultIngressClass',
  group: 'networking.k8s.io',
  resource: 'ingresses',
  field: 'ingressClassName',
  hasClass: (ingress) => isNamed(ingress, INGRESS_CLASS_ANNOTATION, 'ingressClassName'),
};

/** The rest of the priority follows from the class. @see plugin/pkg/admission/priority @ v1.36.3 */
const PODS: DefaultedResource = {
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
class DefaultClass implements AdmissionPlugIn {
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

const UNBOUND = 'Only bound persistent volume claims can be expanded';
const FIXED =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

/**
 * Lets claims grow only when they are bound, and when their class allows it.
 * @see plugin/pkg/admission/storage/persistentvolume/resize/admission.go @ v1.36.3
 */
class ClaimResize implements AdmissionPlugIn {
  readonly name = 'PersistentVolumeClaimResize';
  readonly #classes: FollowedClasses;

  constructor(classes: FollowedClasses) {
    this.#classes = classes;
  }

  wants({ group, resource, subresource, operation }: AdmissionScope): boolean {
    const isClaim = resource === 'persistentvolumeclaims' && group === '';
    return isClaim && operation === 'UPDATE' && subresource === '';
  }

  /** @throws {ApiError} 403. */
  validate(request: AdmissionRequest): void {
    const { target, object, oldObject } = request;
    if (object === undefined || oldObject === undefined) return;
    if (storageOf(object) <= storageOf(oldObject)) return;
    const refusal = (text: string): Error => forbidden(target, admittedName(request), text);
    if (textAt(oldObject, 'status', 'phase') !== 'Bound') throw refusal(UNBOUND);
    const name = classOf(object);
    const isSame = name !== '' && name === classOf(oldObject);
    if (!isSame || this.#classes.named(name)?.mayGrow !== true) throw refusal(FIXED);
  }
}

/** In units of 10⁻⁹; 0 when it is not said. */
function storageOf(claim: UnstructuredObject): bigint {
  const text = textAt(claim, 'spec', 'resources', 'requests', 'storage');
  return text === '' ? 0n : parseQuantity(text).nanos;
}

function classOf(claim: UnstructuredObject): string {
  const annotated = valueAt(claim, 'metadata', 'annotations', CLAIM_CLASS_ANNOTATION);
  return typeof annotated === 'string' ? annotated : textAt(claim, 'spec', 'storageClassName');
}

interface ProtectedResource {
  readonly group: string;
  readonly finalizer: string;
}

/** By plural. */
const PROTECTED: ReadonlyMap<string, ProtectedResource> = new Map([
  ['persistentvolumeclaims', { group: '', finalizer: 'kubernetes.io/pvc-protection' }],
  ['persistentvolumes', { group: '', finalizer: 'kubernetes.io/pv-protection' }],
  [
    'volumeattributesclasses',
    { group: 'storage.k8s.io', finalizer: 'kubernetes.io/vac-protection' },
  ],
]);

/**
 * Gives new claims, volumes and classes of volume attributes the finalizer that keeps them while they are used. A controller of the cluster
 * removes it.
 * @see plugin/pkg/admission/storage/storageobjectinuseprotection @ v1.36.3
 */
class StorageObjectInUseProtection implements AdmissionPlugIn {
  readonly name = 'StorageObjectInUseProtection';

  wants({ group, resource, subresource, operation }: AdmissionScope): boolean {
    if (operation !== 'CREATE' || subresource !== '') return false;
    return PROTECTED.get(resource)?.group === group;
  }

  mutate(request: AdmissionRequest): void {
    const { object, target } = request;
    const finalizer = PROTECTED.get(target.resource)?.finalizer;
    if (object === undefined || finalizer === undefined) return;
    const { finalizers = [] } = object.metadata ?? {};
    if (finalizers.includes(finalizer)) return;
    const metadata = { ...object.metadata, finalizers: [...finalizers, finalizer] };
    request.object = { ...object, metadata };
  }
}

/**
 * Gives a new pod its priority, tolerations and runtime class before webhooks see it. Without webhooks the kind does the same
 * later, so that nothing is read twice.
 */
class PodDefaults implements AdmissionPlugIn {
  readonly name = 'Priority, DefaultTolerationSeconds, RuntimeClass';
  readonly #parts: Pick<PlugInParts, 'storeOf' | 'isSeen'>;

  constructor(parts: Pick<PlugInParts, 'storeOf' | 'isSeen'>) {
    this.#parts = parts;
  }

  wants({ group, resource, subresource, operation }: AdmissionScope): boolean {
    const isNewPod = resource === 'pods' && group === '' && subresource === '';
    return isNewPod && operation === 'CREATE' && this.#parts.isSeen();
  }

  /** @throws {ApiError} 403. */
  async mutate(request: AdmissionRequest): Promise<void> {
    const pod = request.object as MutableObject;
    setClasses(pod, await findClasses(this.#parts.storeOf, pod));
  }
}

/**
 * The plug-ins of admission, in kube-apiserver's order as far as requests can show it. The webhooks see what the plug-ins before them have
 * set. Quotas come last: they count what is written.
 * @see kubernetes pkg/kubeapiserver/options/plugins.go AllOrderedPlugins @ v1.36.3
 */
export function builtInPlugIns(
  parts: PlugInParts,
  hooksAndWebhooks: readonly AdmissionPlugIn[],
  minor: KubernetesMinor,
): readonly AdmissionPlugIn[] {
  const storageClasses = new FollowedClasses(parts, {
    group: 'storage.k8s.io',
    resource: 'storageclasses',
    isDefault: annotatedDefault(
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ),
    order: newestFirst,
  });
  const ingressClasses = new FollowedClasses(parts, {
    group: 'networking.k8s.io',
    resource: 'ingressclasses',
    isDefault: annotatedDefault('ingressclass.kubernetes.io/is-default-class'),
    order: newestFirst,
  });
  const priorityClasses = new FollowedClasses(parts, {
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    isDefault: (object) => object['globalDefault'] === true,
    order: lowestFirst,
  });
  return [
    new LimitRanger(parts),
    ...(parts.serviceAccounts ? [new ServiceAccountAdmission(parts)] : []),
    new PodSecurity(parts, minor),
    new DefaultClass(PODS, priorityClasses),
    new DefaultClass(CLAIMS, storageClasses),
    new ClaimResize(storageClasses),
    new DefaultClass(INGRESSES, ingressClasses),
    new StorageObjectInUseProtection(),
    new PodDefaults(parts),
    ...hooksAndWebhooks,
    new ResourceQuotas(parts),
  ];
}
