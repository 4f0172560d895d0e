import type { UnstructuredObject } from '../../meta/object.ts';
import {
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';

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
export function mountableSecretsProblem(
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
export function ephemeralSecretsProblem(
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
export function secretsOfContainer(container: JsonRecord): readonly SecretUse[] {
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
