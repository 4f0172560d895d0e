import type { KubernetesMinor } from '../../../meta/releases/kubernetes-releases.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type {
  AdmissionRequest,
  AdmissionScope,
  AdmittedVersion,
} from '../../registry/contract/admission.ts';
import { jsonEqual, recordsAt, isRecord } from '../../../meta/json-value.ts';
import type { AdmissionPlugIn, MutationRound } from '../../registry/contract/plug-in.ts';
import { callHook, failedClosed, FailedCall, outOfTime, type CallParts } from './call-hook.ts';
import type { HookSet } from './hook-set.ts';
import { invocationOf, isExempt, type Invocation, type NamespaceLabels } from './match-hook.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { internalError, isApiError } from '../../../meta/failure/failures.ts';
import { asJson, type Json } from '../../http/body/json-tree.ts';
import { applyJsonPatch, parseJsonPatch, type JsonPatch } from '../../patch/json-patch.ts';
import { jsonSyntaxError } from '../../../kernel/text/go-json-syntax.ts';
import type { Verdict } from './admission-review.ts';
import type { Hook } from './hook.ts';

const PATCH_ERROR = 'error decoding patch: ';
/** Twice the levels that Go's decoder reads. */
const SHORT_BYTES = 20_000;
/** The type of the patches of requests. */
const REQUEST_PATCH = '[]handlers.jsonPatchOp';

/**
 * The object after the patch of a webhook, read as its kind; undefined if there is no patch.
 * @throws {FailedCall} for what is no JSON patch. @throws {ApiError} 500 when it cannot be applied.
 */
function patchedObject(
  { hook, target }: { readonly hook: Hook; readonly target: AdmittedVersion },
  { patch: bytes, patchType }: Verdict,
  object: UnstructuredObject | undefined,
  { versions }: AdmissionRequest,
): UnstructuredObject | undefined {
  if (bytes.byteLength === 0) return undefined;
  const patch = patchIn(hook, bytes);
  if (patch.length === 0) return undefined;
  if (object === undefined) {
    throw internalError(
      `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (patchType !== 'JSONPatch') {
    throw new FailedCall(hook, `unsupported patch type ${JSON.stringify(patchType)}`);
  }
  let patched: Json;
  try {
    patched = applyJsonPatch(asJson(object), patch);
    if (!isRecord(patched)) throw new Error('the patched object is no object');
  } catch (error) {
    throw internalError(reasonOf(error), error);
  }
  try {
    return versions.read(patched, target);
  } catch (error) {
    throw isApiError(error) ? error : internalError(errorMessage(error), error);
  }
}

/** A patch of a request does not say why it is refused, that of a webhook does. */
function reasonOf(error: unknown): string {
  return errorMessage(isApiError(error) && error.cause instanceof Error ? error.cause : error);
}

/** @throws {FailedCall} */
function patchIn(hook: Hook, bytes: Uint8Array): JsonPatch {
  const what = 'received undecodable patch in webhook response';
  // Shorter ones cannot have more levels than kube-apiserver reads.
  const syntax = bytes.byteLength > SHORT_BYTES ? jsonSyntaxError(bytes) : undefined;
  if (syntax !== undefined) throw new FailedCall(hook, `${what}: ${syntax}`);
  let document: Json;
  try {
    document = JSON.parse(Buffer.from(bytes).toString('utf8')) as Json;
  } catch (error) {
    throw new FailedCall(hook, `${what}: ${jsonSyntaxError(bytes) ?? errorMessage(error)}`);
  }
  try {
    return parseJsonPatch(document);
  } catch (error) {
    const text = errorMessage(error);
    const reason = text.startsWith(PATCH_ERROR) ? text.slice(PATCH_ERROR.length) : text;
    throw new FailedCall(hook, `${what}: ${reason.replace(REQUEST_PATCH, 'jsonpatch.Patch')}`);
  }
}

export interface WebhookParts extends CallParts {
  /** The minor version of Kubernetes that the server is. */
  readonly minor: KubernetesMinor;
  readonly set: HookSet;
  readonly labelsOf: NamespaceLabels;
}

/** The state that the first round leaves for the second. */
interface Reinvocation {
  /** Webhooks that have been called, and are called again when a later one changes the object. */
  waiting: Set<string>;
  /** Webhooks that the second round calls. */
  readonly called: Set<string>;
  /** Whether a patch was applied. */
  isPatched: boolean;
  /** The object after the last call. */
  last: UnstructuredObject | undefined;
}

/**
 * Lets the webhooks of MutatingWebhookConfigurations change objects, one after the other.
 * @see apiserver pkg/admission/plugin/webhook/mutating/dispatcher.go @ v0.36.3
 */
export class MutatingWebhooks implements AdmissionPlugIn {
  readonly name = 'MutatingAdmissionWebhook';
  readonly #parts: WebhookParts;

  constructor(parts: WebhookParts) {
    this.#parts = parts;
  }

  wants(scope: AdmissionScope): boolean {
    const { set, minor } = this.#parts;
    return set.all.length > 0 && !isExempt(scope, minor);
  }

  /** Awaits each call; the set of webhooks is that of the beginning. @throws {ApiError} */
  async mutate(request: AdmissionRequest, round: MutationRound): Promise<void> {
    const state = stateOf(round, this.name);
    if (round.isAgain && !jsonEqual(state.last, request.object)) repeatAll(state);
    const shown = new ShownObject(request);
    for (const hook of this.#parts.set.all) {
      const current = { ...request, object: shown.current };
      const invocation = await invocationOf(hook, current, this.#parts.labelsOf);
      if (invocation === undefined) continue;
      if (round.isAgain && !state.called.has(hook.id)) continue;
      if (await this.#call(invocation, request, shown, state)) {
        repeatAll(state);
        round.askAgain();
      }
      if (hook.isReinvoked) state.waiting.add(hook.id);
    }
    await shown.finish();
    state.last = structuredClone(request.object);
  }

  /** Whether the webhook has changed the object. @throws {ApiError} */
  async #call(
    invocation: Invocation,
    request: AdmissionRequest,
    shown: ShownObject,
    state: Reinvocation,
  ): Promise<boolean> {
    const { hook, target } = invocation;
    try {
      const { object, oldObject } = await shown.as(target);
      const call = { invocation, request, object, oldObject, isMutating: true };
      const verdict = await callHook(this.#parts, call);
      const patched = patchedObject(invocation, verdict, object, request);
      if (patched === undefined) return false;
      shown.replace(patched);
      // The first patch cuts off the fractions of seconds in managed fields, which is a change.
      const isFirst = !state.isPatched && recordsAt(object, 'metadata', 'managedFields').length > 0;
      state.isPatched = true;
      return isFirst || !jsonEqual(patched, object);
    } catch (error) {
      if (!(error instanceof FailedCall)) throw error;
      if (!hook.failsOpen) throw failedClosed(error);
      if (request.context.signal?.aborted === true) throw outOfTime();
      return false;
    }
  }
}

function stateOf({ kept }: MutationRound, name: string): Reinvocation {
  const known = kept.get(name) as Reinvocation | undefined;
  if (known !== undefined) return known;
  const made: Reinvocation = {
    waiting: new Set(),
    called: new Set(),
    isPatched: false,
    last: undefined,
  };
  kept.set(name, made);
  return made;
}

function repeatAll(state: Reinvocation): void {
  for (const id of state.waiting) state.called.add(id);
  state.waiting = new Set();
}

/** The object of a request in the version that the present webhook asks for. */
class ShownObject {
  readonly #request: AdmissionRequest;
  #version: AdmittedVersion;
  #object: UnstructuredObject | undefined;
  #isChanged = false;

  constructor(request: AdmissionRequest) {
    this.#request = request;
    this.#version = request.target;
    this.#object = request.object;
  }

  get current(): UnstructuredObject | undefined {
    return this.#object;
  }

  async as(version: AdmittedVersion): Promise<Pick<AdmissionRequest, 'object' | 'oldObject'>> {
    const { oldObject, target } = this.#request;
    if (!isSame(this.#version, version))
      this.#object = await this.#converted(this.#object, version);
    this.#version = version;
    const isOwn = isSame(target, version);
    return {
      object: this.#object,
      oldObject: isOwn ? oldObject : await this.#converted(oldObject, version),
    };
  }

  replace(object: UnstructuredObject): void {
    this.#object = object;
    this.#isChanged = true;
  }

  /** Puts the object back into the request, in the version of that. */
  async finish(): Promise<void> {
    const { target } = this.#request;
    if (!this.#isChanged) return;
    this.#request.object = isSame(this.#version, target)
      ? this.#object
      : await this.#converted(this.#object, target);
  }

  async #converted(
    object: UnstructuredObject | undefined,
    to: AdmittedVersion,
  ): Promise<UnstructuredObject | undefined> {
    const { versions, context } = this.#request;
    return object && (await versions.convert(object, to, context.signal));
  }
}

function isSame(one: AdmittedVersion, other: AdmittedVersion): boolean {
  return one.group === other.group && one.version === other.version && one.kind === other.kind;
}
