import type { AdmissionRequest, AdmissionScope } from '../../registry/contract/admission.ts';

/** What the plug-ins know of one pass of a request through those that change objects. */
export interface MutationRound {
  /** Whether the plug-ins have seen the request before: a webhook has changed the object. */
  readonly isAgain: boolean;
  /** Asks for a second round. */
  askAgain(): void;
  /** What a plug-in keeps from the first round to the second. */
  readonly kept: Map<string, unknown>;
}

/**
 * One step of admission. It has `mutate`, `validate` or both.
 * @see apiserver pkg/admission/interfaces.go @ v0.36.3
 */
export interface AdmissionPlugIn {
  readonly name: string;
  /** Whether it may look at requests of this kind at present. Called for each request, so it must be fast. */
  wants(scope: AdmissionScope): boolean;
  /** May change `request.object`, or replace it. Runs up to twice. @throws {ApiError} */
  mutate?(request: AdmissionRequest, round: MutationRound): void | Promise<void>;
  /** @throws {ApiError} */
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** The name of what is refused; before it has one, the text that it will be generated from. */
export function admittedName({ name, object }: AdmissionRequest): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || '';
}
