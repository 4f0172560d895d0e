import { sleep } from '../../kernel/time/wait.ts';
import { isNotFound } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import type { AdmissionPlugIn, PlugInParts } from '../../server/registry/contract/plug-in.ts';
import type { AdmissionRequest, AdmissionScope } from '../../server/registry/contract/admission.ts';
import { serverContext } from '../../server/registry/contract/server-context.ts';
import { refusedPod } from '../pods/pod-priority.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { mirrorPodProblem } from './mirror-pods.ts';
import { ephemeralSecretsProblem, mountableSecretsProblem } from './mountable-secrets.ts';
import { mountToken } from './token-volume.ts';

const DEFAULT_ACCOUNT = 'default';
/** A controller makes the account of a new namespace a moment after it: a pod waits for it, not longer than two seconds. */
const ATTEMPTS = 10;
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 200;
const MIRROR = 'kubernetes.io/config.mirror';

/**
 * Gives a new pod its service account, the volume with the account's token, and the account's pull secrets. Refuses a pod whose account
 * does not exist, and one with secrets that its account does not allow, also after webhooks have changed it; the same for containers
 * that are added for debugging.
 * @see kubernetes plugin/pkg/admission/serviceaccount @ v1.36.3
 */
export class ServiceAccountAdmission implements AdmissionPlugIn {
  readonly name = 'ServiceAccount';
  readonly #parts: Pick<PlugInParts, 'runtime' | 'storeOf'>;

  constructor(parts: Pick<PlugInParts, 'runtime' | 'storeOf'>) {
    this.#parts = parts;
  }

  wants({ group, resource, subresource, operation }: AdmissionScope): boolean {
    if (resource !== 'pods' || group !== '') return false;
    return subresource === ''
      ? operation === 'CREATE'
      : subresource === 'ephemeralcontainers' && operation === 'UPDATE';
  }

  /** @throws {ApiError} 403. */
  async mutate(request: AdmissionRequest): Promise<void> {
    if (request.operation !== 'CREATE') return;
    const pod = request.object as MutableObject;
    const spec = recordAt(pod, 'spec');
    if (!isMirror(pod) && spec !== undefined) await this.#complete(pod, spec, request.namespace);
    await this.validate(request);
  }

  /** @throws {ApiError} 403. */
  async validate({ operation, namespace, object }: AdmissionRequest): Promise<void> {
    const pod = object as MutableObject;
    const refuse = (problem: string | undefined): void => {
      if (problem !== undefined) throw refusedPod(pod, problem);
    };
    const isNew = operation === 'CREATE';
    if (isNew && isMirror(pod)) {
      refuse(mirrorPodProblem(pod));
      return;
    }
    const spec = recordAt(pod, 'spec') ?? {};
    const { name = '' } = pod.metadata;
    if (textAt(spec, 'serviceAccountName') === '') {
      refuse(`no service account specified for pod ${namespace}/${name}`);
    }
    const account = await this.#accountOf(pod, spec, namespace);
    refuse(isNew ? mountableSecretsProblem(account, spec) : ephemeralSecretsProblem(account, spec));
  }

  async #complete(pod: MutableObject, spec: JsonRecord, namespace: string): Promise<void> {
    if (textAt(spec, 'serviceAccountName') === '') {
      spec['serviceAccountName'] = DEFAULT_ACCOUNT;
      // The older name of the same field.
      spec['serviceAccount'] = DEFAULT_ACCOUNT;
    }
    const account = await this.#accountOf(pod, spec, namespace);
    if (mounts(account, pod)) mountToken(spec, this.#parts.runtime);
    if (recordsAt(spec, 'imagePullSecrets').length > 0) return;
    const secrets = recordsAt(account, 'imagePullSecrets');
    const names = secrets.map((one) => ({ name: textAt(one, 'name') }));
    if (names.length > 0) spec['imagePullSecrets'] = names;
  }

  /** @throws {ApiError} 403 when it does not exist. */
  async #accountOf(
    pod: MutableObject,
    spec: JsonRecord,
    namespace: string,
  ): Promise<UnstructuredObject> {
    const name = textAt(spec, 'serviceAccountName');
    const account = await this.#find(namespace, name);
    if (account !== undefined) return account;
    const missing = `serviceaccount ${JSON.stringify(name)} not found`;
    throw refusedPod(pod, `error looking up service account ${namespace}/${name}: ${missing}`);
  }

  async #find(namespace: string, name: string): Promise<UnstructuredObject | undefined> {
    const { runtime, storeOf } = this.#parts;
    const attempts = name === DEFAULT_ACCOUNT ? ATTEMPTS : 1;
    const pauseMs = SHORTEST_PAUSE_MS + runtime.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS);
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      if (attempt > 1) await sleep(runtime, pauseMs);
      try {
        const context = serverContext(namespace);
        return (await storeOf('', 'serviceaccounts')?.get(context, name))?.object;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return undefined;
  }
}

function isMirror({ metadata }: MutableObject): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, MIRROR);
}

/** The pod says whether it gets the token, or else its account does. */
function mounts(account: UnstructuredObject, pod: MutableObject): boolean {
  const wanted =
    valueAt(pod, 'spec', 'automountServiceAccountToken') ??
    valueAt(account, 'automountServiceAccountToken');
  return wanted !== false;
}
