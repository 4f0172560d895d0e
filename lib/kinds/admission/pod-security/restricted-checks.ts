import { recordsAt, textAt, textsAt, type JsonRecord } from '../../../meta/json-value.ts';
import {
  containersText,
  containersThat,
  counted,
  forbiddenInContexts,
  joinQuoted,
  securityContextOf,
  sortedOnce,
  use,
  type PodCheck,
} from './secured-pod.ts';

// The checks that the standard "restricted" has besides those of "baseline": what hardened pods look like.

/** @see pod-security-admission policy/check_allowPrivilegeEscalation.go @ v0.37.2 */
export const privilegeEscalation: PodCheck = (pod) => {
  const names = containersThat(
    pod,
    (one) => securityContextOf(one)['allowPrivilegeEscalation'] !== false,
  );
  if (names.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

/** @see pod-security-admission policy/check_capabilities_restricted.go @ v0.37.2 */
export const droppedCapabilities: PodCheck = (pod) => {
  const listOf = (container: JsonRecord, list: 'add' | 'drop'): string[] =>
    textsAt(container, 'securityContext', 'capabilities', list);
  const added = (container: JsonRecord): string[] =>
    listOf(container, 'add').filter((one) => one !== 'NET_BIND_SERVICE');
  const keeping = containersThat(pod, (one) => !listOf(one, 'drop').includes('ALL'));
  const adding = containersThat(pod, (one) => added(one).length > 0);
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const list = joinQuoted(sortedOnce(pod.containers.flatMap(added)));
    details.push(
      `${containersText(adding)} must not include ${list} in securityContext.capabilities.add`,
    );
  }
  if (details.length === 0) return undefined;
  return { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const ALLOWED_VOLUMES: readonly string[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** In the order in which a volume of several types is named. */
const FORBIDDEN_VOLUMES: readonly string[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

/** @see pod-security-admission policy/check_restrictedVolumes.go @ v0.37.2 */
export const volumeTypes: PodCheck = ({ spec }) => {
  const firstOf = (volume: JsonRecord, types: readonly string[]): string | undefined =>
    types.find((type) => Object.hasOwn(volume, type) && volume[type] !== null);
  const bad = recordsAt(spec, 'volumes').filter(
    (one) => firstOf(one, ALLOWED_VOLUMES) === undefined,
  );
  if (bad.length === 0) return undefined;
  const types = sortedOnce(bad.map((one) => firstOf(one, FORBIDDEN_VOLUMES) ?? 'unknown'));
  const names = joinQuoted(bad.map((one) => textAt(one, 'name')));
  const what = counted('restricted volume type', types);
  return {
    reason: 'restricted volume types',
    detail: `${counted('volume', bad)} ${names} ${use(bad)} ${what} ${joinQuoted(types)}`,
  };
};

/** @see pod-security-admission policy/check_runAsNonRoot.go @ v0.37.2 */
export const nonRoot: PodCheck = (pod) => {
  const valueOf = (holder: JsonRecord): unknown => securityContextOf(holder)['runAsNonRoot'];
  const reason = 'runAsNonRoot != true';
  const wrong = forbiddenInContexts(
    pod,
    (context) => context['runAsNonRoot'] === false,
    (setters) => ({ reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` }),
  );
  if (wrong !== undefined || valueOf(pod.spec) === true) return wrong;
  const names = containersThat(pod, (one) => valueOf(one) !== true);
  if (names.length === 0) return undefined;
  const detail = `pod or ${containersText(names)} must set securityContext.runAsNonRoot=true`;
  return { reason, detail };
};

/** @see pod-security-admission policy/check_runAsUser.go @ v0.37.2 */
export const rootUser: PodCheck = (pod) =>
  forbiddenInContexts(
    pod,
    (context) => context['runAsUser'] === 0,
    (setters) => ({ reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` }),
  );
