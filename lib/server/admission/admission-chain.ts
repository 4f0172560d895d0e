import type {
  Admission,
  AdmissionRequest,
  AdmissionScope,
} from '../registry/contract/admission.ts';
import type { AdmissionPlugIn, MutationRound } from '../registry/contract/plug-in.ts';

/**
 * Plug-ins in their order. When a webhook has changed the object, those that change objects see it once more.
 * @see apiserver pkg/admission/reinvocation.go @ v0.36.3
 */
export class AdmissionChain implements Admission {
  readonly #plugIns: readonly AdmissionPlugIn[];

  constructor(plugIns: readonly AdmissionPlugIn[]) {
    this.#plugIns = plugIns;
  }

  wants(scope: AdmissionScope): boolean {
    return this.#plugIns.some((one) => one.wants(scope));
  }

  async mutate(request: AdmissionRequest): Promise<void> {
    const kept = new Map<string, unknown>();
    let mustRepeat = false;
    const askAgain = (): void => {
      mustRepeat = true;
    };
    await this.#round(request, { isAgain: false, askAgain, kept });
    if (mustRepeat) await this.#round(request, { isAgain: true, askAgain, kept });
  }

  async validate(request: AdmissionRequest): Promise<void> {
    const scope = scopeOf(request);
    for (const one of this.#plugIns) {
      if (one.validate !== undefined && one.wants(scope)) await one.validate(request);
    }
  }

  async #round(request: AdmissionRequest, round: MutationRound): Promise<void> {
    const scope = scopeOf(request);
    for (const one of this.#plugIns) {
      if (one.mutate !== undefined && one.wants(scope)) await one.mutate(request, round);
    }
  }
}

function scopeOf({ operation, subresource, target }: AdmissionRequest): AdmissionScope {
  return { operation, subresource, group: target.group, resource: target.resource };
}
