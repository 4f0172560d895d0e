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
  isRecord,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { generateName } from '../../server/registry/rules/name-validation.ts';

/** With this annotation an account restricts its pods to the secrets that it lists. */
const ENFORCED = 'kubernetes.io/enforce-mountable-secrets';
/** Texts that Go reads as true. */
const TRUE: readonly string[] = ['1', 't', 'T', 'true', 'TRUE', 'True'];

/** A use of a secret by a container, in words. */
interface SecretUse {
  readonly secret: string;
  readonly place: string;
}

/** Why the secrets of a new pod are refused by its account; undefined: they are not. */
function mountableSecretsProblem(
  account: UnstructuredObject,
  spec: JsonRecord,
): string | undefined {
  if (!isRestricted(account)) return undefined;
  return (
    volumeProblem(account, spec) ??
    containerProblem(account, spec, 'initContainers', 'init container') ??
    containerProblem(account, spec, 'containers', 'container') ??
    pullSecretProblem(account, spec)
  );
}

/** The same for the containers that are added to a pod for debugging. */
function ephemeralSecretsProblem(
  account: UnstructuredObject,
  spec: JsonRecord,
): string | undefined {
  if (!isRestricted(account)) return undefined;
  return containerProblem(account, spec, 'ephemeralContainers', 'ephemeral container');
}

function isRestricted({ metadata }: UnstructuredObject): boolean {
  return TRUE.includes(metadata?.annotations?.[ENFORCED] ?? '');
}

function volumeProblem(account: UnstructuredObject, spec: JsonRecord): string | undefined {
  const allowed = namesIn(account, 'secrets');
  for (const volume of recordsAt(spec, 'volumes')) {
    const secret = textAt(volume, 'secret', 'secretName');
    if (recordAt(volume, 'secret') === undefined || allowed.has(secret)) continue;
    return `volume with secret.secretName="${secret}" ${notReferenced(account)} secret`;
  }
  return undefined;
}

function containerProblem(
  account: UnstructuredObject,
  spec: JsonRecord,
  field: string,
  word: string,
): string | undefined {
  const allowed = namesIn(account, 'secrets');
  for (const container of recordsAt(spec, field)) {
    const use = secretsOfContainer(container).find(({ secret }) => !allowed.has(secret));
    if (use === undefined) continue;
    const place = `${word} ${textAt(container, 'name')} with ${use.place}`;
    return `${place} referencing secret.secretName="${use.secret}" ${notReferenced(account)} secret`;
  }
  return undefined;
}

function pullSecretProblem(account: UnstructuredObject, spec: JsonRecord): string | undefined {
  const allowed = namesIn(account, 'imagePullSecrets');
  const used = recordsAt(spec, 'imagePullSecrets').map((one) => textAt(one, 'name'));
  const index = used.findIndex((one) => !allowed.has(one));
  if (index < 0) return undefined;
  return `imagePullSecrets[${index}].name="${used[index]}" ${notReferenced(account)} imagePullSecret`;
}

function namesIn(account: UnstructuredObject, field: string): ReadonlySet<string> {
  return new Set(recordsAt(account, field).map((one) => textAt(one, 'name')));
}

function notReferenced({ metadata }: UnstructuredObject): string {
  return `is not allowed because service account ${metadata?.name ?? ''} does not reference that`;
}

/** The secrets in the environment of a container. */
function secretsOfContainer(container: JsonRecord): readonly SecretUse[] {
  const single = recordsAt(container, 'env')
    .filter((env) => valueAt(env, 'valueFrom', 'secretKeyRef') !== undefined)
    .map((env) => ({
      secret: textAt(env, 'valueFrom', 'secretKeyRef', 'name'),
      place: `envVar ${textAt(env, 'name')}`,
    }));
  const whole = recordsAt(container, 'envFrom')
    .filter((from) => valueAt(from, 'secretRef') !== undefined)
    .map((from) => ({ secret: textAt(from, 'secretRef', 'name'), place: 'envFrom' }));
  return [...single, ...whole];
}

const VOLUME = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour, and some seconds by which such tokens are known. */
const TOKEN_SECONDS = 3607;
const DEFAULT_MODE = 0o644;

/** Mounts the token of the account into each container that has nothing at the place of it. */
function mountToken(spec: JsonRecord, runtime: Pick<Runtime, 'random'>): void {
  const volumes = recordsAt(spec, 'volumes');
  const present = volumes.find((volume) => textAt(volume, 'name').startsWith(VOLUME));
  const name = present === undefined ? generateName(runtime, VOLUME) : textAt(present, 'name');
  let isMounted = false;
  for (const field of ['initContainers', 'containers']) {
    for (const container of recordsAt(spec, field)) {
      const mounts = recordsAt(container, 'volumeMounts');
      if (mounts.some((mount) => textAt(mount, 'mountPath') === MOUNT_PATH)) continue;
      container['volumeMounts'] = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }];
      isMounted = true;
    }
  }
  if (present !== undefined || !isMounted) return;
  spec['volumes'] = [
    ...volumes,
    { name, projected: { sources: tokenSources(), defaultMode: DEFAULT_MODE } },
  ];
}

function tokenSources(): JsonRecord[] {
  return [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [
          { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
        ],
      },
    },
  ];
}

/** Why a pod of a node's own manifests is refused; undefined: it is not. Such a pod must not get anything from the server. */
function mirrorPodProblem(pod: MutableObject): string | undefined {
  const spec = recordAt(pod, 'spec') ?? {};
  if (textAt(spec, 'serviceAccountName') !== '') {
    return 'a mirror pod may not reference service accounts';
  }
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) =>
    recordsAt(spec, field),
  );
  const volumes = recordsAt(spec, 'volumes');
  const hasSecrets =
    recordsAt(spec, 'imagePullSecrets').length > 0 ||
    containers.some((one) => secretsOfContainer(one).length > 0) ||
    volumes.some(namesSecret);
  if (hasSecrets) return 'a mirror pod may not reference secrets';
  const hasToken = volumes.some((volume) =>
    recordsAt(volume, 'projected', 'sources').some(
      (source) => valueAt(source, 'serviceAccountToken') !== undefined,
    ),
  );
  return hasToken ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}

/** The fields by which kinds of volumes name a secret. */
const SECRET_FIELDS: readonly string[] = [
  'secret',
  'secretRef',
  'secretName',
  'nodePublishSecretRef',
];

/** The objects of a volume are as deep as Go's types, so this ends. */
function namesSecret(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesSecret);
  if (!isRecord(value)) return false;
  return Object.entries(value).some(
    ([field, inner]) => (SECRET_FIELDS.includes(field) && inner !== '') || namesSecret(inner),
  );
}

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
