import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
} from '../../meta/json-value.ts';
import { secretsOfContainer } from './mountable-secrets.ts';

/** Why a pod of a node's own manifests is refused; undefined: it is not. Such a pod must not get anything from the server. */
export function mirrorPodProblem(pod: MutableObject): string | undefined {
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
