import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import { findClasses, setClasses } from '../pods/pod-classes.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import type { AdmissionPlugIn, PlugInParts } from '../../server/registry/contract/plug-in.ts';

/**
 * Gives a new pod its priority, tolerations and runtime class before webhooks see it. Without webhooks the kind does the same
 * later, so that nothing is read twice.
 */
export class PodDefaults implements AdmissionPlugIn {
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
