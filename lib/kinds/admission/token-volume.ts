import type { Runtime } from '../../kernel/time/runtime.ts';
import { recordsAt, textAt, type JsonRecord } from '../../meta/json-value.ts';
import { generateName } from '../../server/registry/rules/name-validation.ts';

const VOLUME = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** An hour, and some seconds by which such tokens are known. */
const TOKEN_SECONDS = 3607;
const DEFAULT_MODE = 0o644;

/** Mounts the token of the account into each container that has nothing at the place of it. */
export function mountToken(spec: JsonRecord, runtime: Pick<Runtime, 'random'>): void {
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
