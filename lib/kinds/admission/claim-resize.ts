import { forbidden } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import { textAt, valueAt } from '../../meta/json-value.ts';
import { parseQuantity } from '../../server/registry/typed/quantity.ts';
import { admittedName, type AdmissionPlugIn } from '../../server/registry/contract/plug-in.ts';
import { CLAIM_CLASS_ANNOTATION } from './default-class.ts';
import type { FollowedClasses } from './followed-classes.ts';

const UNBOUND = 'Only bound persistent volume claims can be expanded';
const FIXED =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

/**
 * Lets claims grow only when they are bound, and when their class allows it.
 * @see plugin/pkg/admission/storage/persistentvolume/resize/admission.go @ v1.36.3
 */
export class ClaimResize implements AdmissionPlugIn {
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
