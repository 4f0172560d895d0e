import type { UnstructuredObject } from '../../../meta/object.ts';
import type {
  AdmissionRequest,
  AdmissionScope,
  AdmittedVersion,
} from '../../registry/contract/admission.ts';
import type { AdmissionPlugIn } from '../../registry/contract/plug-in.ts';
import { callHook, FailedCall, failedClosed, outOfTime } from './call-hook.ts';
import { invocationOf, isExempt, type Invocation } from './match-hook.ts';
import type { WebhookParts } from './mutating-webhooks.ts';

/**
 * Asks the webhooks of ValidatingWebhookConfigurations, all at once.
 * @see apiserver pkg/admission/plugin/webhook/validating/dispatcher.go @ v0.36.3
 */
export class ValidatingWebhooks implements AdmissionPlugIn {
  readonly name = 'ValidatingAdmissionWebhook';
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  wants(scope: AdmissionScope): boolean {
    const { set, minor } = this.#parts;
    return set.all.length > 0 && !isExempt(scope, minor);
  }

  /** Waits for all calls; of several refusals the first one counts. @throws {ApiError} */
  async validate(request: AdmissionRequest): Promise<void> {
    const invocations: Invocation[] = [];
    for (const hook of this.#parts.set.all) {
      const invocation = await invocationOf(hook, request, this.#parts.labelsOf);
      if (invocation !== undefined) invocations.push(invocation);
    }
    if (invocations.length === 0) return;
    if (request.context.signal?.aborted === true) throw outOfTime();
    const refusals: unknown[] = [];
    await Promise.all(
      invocations.map(async (invocation) => {
        try {
          await this.#call(invocation, request);
        } catch (error) {
          refusals.push(error);
        }
      }),
    );
    if (refusals.length > 0) throw refusals[0];
  }

  async #call(invocation: Invocation, request: AdmissionRequest): Promise<void> {
    const { target, hook } = invocation;
    try {
      const object = await shownAs(request.object, target, request);
      const oldObject = await shownAs(request.oldObject, target, request);
      const call = { invocation, request, object, oldObject, isMutating: false };
      await callHook(this.#parts, call);
    } catch (error) {
      if (!(error instanceof FailedCall)) throw error;
      if (!hook.failsOpen) throw failedClosed(error);
    }
  }
}

async function shownAs(
  object: UnstructuredObject | undefined,
  to: AdmittedVersion,
  { versions, target, context }: AdmissionRequest,
): Promise<UnstructuredObject | undefined> {
  if (object === undefined || to === target) return object;
  return await versions.convert(object, to, context.signal);
}
