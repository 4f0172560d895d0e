import { forbidden } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import { recordsAt, type JsonRecord } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import {
  admittedName,
  type AdmissionPlugIn,
  type Followed,
  type PlugInParts,
} from '../../server/registry/contract/plug-in.ts';
import { claimFaults, podFaults } from './limit-checks.ts';
import { setContainerDefaults } from './limit-defaults.ts';

/** The items of a LimitRange. */
type Limits = readonly JsonRecord[];

/**
 * Sets the defaults of LimitRanges in new pods, and refuses pods and claims beyond their bounds.
 * @see plugin/pkg/admission/limitranger/admission.go @ v1.36.3
 */
export class LimitRanger implements AdmissionPlugIn {
  readonly name = 'LimitRanger';
  readonly #ranges: Followed<Limits>;

  constructor({ follow }: Pick<PlugInParts, 'follow'>) {
    this.#ranges = follow({
      group: '',
      resource: 'limitranges',
      read: (limitRange) => recordsAt(limitRange, 'spec', 'limits'),
    });
  }

  wants({ group, resource, subresource, operation }: AdmissionScope): boolean {
    if (this.#ranges.isEmpty || group !== '') return false;
    const isChange = operation === 'UPDATE';
    if (resource === 'pods') {
      return subresource === '' ? operation === 'CREATE' : subresource === 'resize' && isChange;
    }
    const isClaim = resource === 'persistentvolumeclaims' && subresource === '';
    return isClaim && (isChange || operation === 'CREATE');
  }

  mutate({ target, object, oldObject, namespace }: AdmissionRequest): void {
    if (target.resource !== 'pods' || object === undefined || isDeleted(oldObject)) return;
    for (const limits of this.#ranges.in(namespace)) {
      setContainerDefaults(object as MutableObject, limits);
    }
  }

  /** @throws {ApiError} 403 with the faults of the first LimitRange that has some. */
  validate(request: AdmissionRequest): void {
    const { target, object, oldObject, namespace } = request;
    if (object === undefined || isDeleted(oldObject)) return;
    const faultsOf = target.resource === 'pods' ? podFaults : claimFaults;
    for (const limits of this.#ranges.in(namespace)) {
      const faults = [...new Set(faultsOf(object, limits))];
      if (faults.length === 0) continue;
      const [only = ''] = faults;
      const text = faults.length === 1 ? only : `[${faults.join(', ')}]`;
      throw forbidden(target, admittedName(request), text);
    }
  }
}

function isDeleted(object: UnstructuredObject | undefined): boolean {
  return object?.metadata?.deletionTimestamp !== undefined;
}
