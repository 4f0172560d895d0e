import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import { setTolerations } from '../pods/pod-admission.ts';
import { PodPriority, setPriority } from '../pods/pod-priority.ts';
import { PodRuntimeClass, setRuntimeClass } from '../pods/pod-runtime-class.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import type { AdmissionPlugIn, PlugInParts } from '../../server/registry/contract/plug-in.ts';

/**
 * Gives a new pod its priority, tolerations and runtime class before webhooks see it. Without webhooks the kind does the same
 * later, so that nothing is read twice.
 */
export class PodDefaults implements AdmissionPlugIn {
  readonly name = 'Priority, DefaultTolerationSeconds, RuntimeClass';
  readonly #isSeen: () => boolean;
  readonly #classes: readonly (PodPriority | PodRuntimeClass)[];

  constructor(parts: Pick<PlugInParts, 'storeOf' | 'isSeen'>) {
    this.#isSeen = parts.isSeen;
    this.#classes = [new PodPriority(parts), new PodRuntimeClass(parts)];
  }

  wants({ group, resource, subresource, operation }: AdmissionScope): boolean {
    const isNewPod = resource === 'pods' && group === '' && subresource === '';
    return isNewPod && operation === 'CREATE' && this.#isSeen();
  }

  /** @throws {ApiError} 403. */
  async mutate(request: AdmissionRequest): Promise<void> {
    const pod = request.object as MutableObject;
    const target = { name: request.name, existing: undefined, subresource: '' };
    for (const one of this.#classes) await one.authorize(request.context, pod, target);
    setPriority(pod);
    setTolerations(pod);
    setRuntimeClass(pod);
  }
}
