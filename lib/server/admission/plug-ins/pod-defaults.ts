import type { AdmissionRequest, AdmissionScope } from '../../registry/contract/admission.ts';
import type { HookParts } from '../../registry/contract/kind-definition.ts';
import { setTolerations } from '../../../kinds/pods/pod-admission.ts';
import { PodPriority, setPriority } from '../../../kinds/pods/pod-priority.ts';
import { PodRuntimeClass, setRuntimeClass } from '../../../kinds/pods/pod-runtime-class.ts';
import type { MutableObject } from '../../registry/rules/mutable-object.ts';
import type { AdmissionPlugIn } from '../contract/plug-in.ts';

/**
 * Gives a new pod its priority, tolerations and runtime class before webhooks see it. Without webhooks the kind does the same
 * later, so that nothing is read twice.
 */
export class PodDefaults implements AdmissionPlugIn {
  readonly name = 'Priority, DefaultTolerationSeconds, RuntimeClass';
  readonly #isSeen: () => boolean;
  readonly #classes: readonly (PodPriority | PodRuntimeClass)[];

  /** @param isSeen Whether a later plug-in may look at pods. */
  constructor(parts: Pick<HookParts, 'storeOf'>, isSeen: () => boolean) {
    this.#isSeen = isSeen;
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
