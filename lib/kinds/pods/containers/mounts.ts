import { recordsAt, textAt, valueAt, type JsonRecord } from '../../../meta/json-value.ts';
import { format, oneOf } from '../../../server/registry/validation/values.ts';
import type { PodReport } from '../report/pod-report.ts';
import { descendingPath, withoutBacksteps } from '../volumes/local-path.ts';

/** The places of the mounts, or of the devices, of a container by the names of their volumes. */
function placesOf(list: readonly JsonRecord[], member: string): ReadonlyMap<string, string> {
  return new Map(list.map((one) => [textAt(one, 'name'), textAt(one, member)]));
}

/**
 * The mounts and devices of a container.
 * @see pkg/apis/core/validation/validation.go ValidateVolumeMounts, ValidateVolumeDevices @ v1.36.3
 */
export function checkMounts(container: JsonRecord, path: string, pod: PodReport): void {
  const mounts = recordsAt(container, 'volumeMounts');
  const devices = recordsAt(container, 'volumeDevices');
  if (mounts.length > 0) {
    const list = `${path}.volumeMounts`;
    const taken = placesOf(devices, 'devicePath');
    const seen = new Set<string>();
    const isPrivileged = valueAt(container, 'securityContext', 'privileged') === true;
    for (const [index, mount] of mounts.entries()) {
      checkPlace(mount, `${list}[${index}]`, { taken, seen }, pod);
      checkSubPath(mount, list, index, pod);
      checkMode(mount, list, isPrivileged, pod);
    }
  }
  if (devices.length > 0) checkDevices(devices, `${path}.volumeDevices`, mounts, pod);
}

interface Taken {
  /** The places of the devices by name. */
  readonly taken: ReadonlyMap<string, string>;
  /** The places of the mounts before. */
  readonly seen: Set<string>;
}

function checkPlace(mount: JsonRecord, at: string, { taken, seen }: Taken, pod: PodReport): void {
  const name = textAt(mount, 'name');
  const place = textAt(mount, 'mountPath');
  if (name === '') pod.required(`${at}.name`);
  if (!pod.volumes.has(name)) pod.notFound(`${at}.name`, name);
  if (place === '') pod.required(`${at}.mountPath`);
  if (seen.has(place)) pod.invalid(`${at}.mountPath`, place, 'must be unique');
  seen.add(place);
  if (taken.has(name)) pod.invalid(`${at}.name`, name, 'must not already exist in volumeDevices');
  if ([...taken.values()].includes(place)) {
    const rule = 'must not already exist as a path in volumeDevices';
    pod.invalid(`${at}.mountPath`, place, rule);
  }
}

const descending = format(descendingPath);

// API servers report on most members of a mount at the list.

function checkSubPath(mount: JsonRecord, list: string, index: number, pod: PodReport): void {
  const subPath = textAt(mount, 'subPath');
  const expression = textAt(mount, 'subPathExpr');
  descending(subPath, `${list}.subPath`, pod);
  if (expression !== '' && subPath !== '') {
    const rule = 'subPathExpr and subPath are mutually exclusive';
    pod.invalid(`${list}[${index}].subPathExpr`, expression, rule);
  }
  descending(expression, `${list}.subPathExpr`, pod);
}

const propagations = oneOf(['Bidirectional', 'HostToContainer', 'None']);
const RECURSIONS = ['Disabled', 'Enabled', 'IfPossible'];

function checkMode(mount: JsonRecord, list: string, isPrivileged: boolean, pod: PodReport): void {
  const { mountPropagation, recursiveReadOnly: recursion } = mount;
  propagations(mountPropagation, `${list}.mountPropagation`, pod);
  if (mountPropagation === 'Bidirectional' && !isPrivileged) {
    const rule = 'Bidirectional mount propagation is available only to privileged containers';
    pod.forbidden(`${list}.mountPropagation`, rule);
  }
  if (recursion === undefined || recursion === 'Disabled') return;
  const at = `${list}.recursiveReadOnly`;
  if (!RECURSIONS.includes(recursion as string)) {
    pod.notSupported(at, recursion, RECURSIONS);
    return;
  }
  const only = 'may only be specified when';
  if (mount['readOnly'] !== true) pod.forbidden(at, `${only} readOnly is true`);
  if ((mountPropagation ?? 'None') !== 'None') {
    pod.forbidden(at, `${only} mountPropagation is None or not specified`);
  }
}

const NO_BLOCK =
  'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';

function checkDevices(
  devices: readonly JsonRecord[],
  path: string,
  mounts: readonly JsonRecord[],
  pod: PodReport,
): void {
  const names = new Set<string>();
  const places = new Set<string>();
  const mounted = placesOf(mounts, 'mountPath');
  for (const [index, device] of devices.entries()) {
    const nameAt = `${path}[${index}].name`;
    const name = textAt(device, 'name');
    const volume = pod.volumes.get(name);
    if (name === '') pod.required(nameAt);
    if (names.has(name)) pod.invalid(nameAt, name, 'must be unique');
    if (volume === undefined) pod.notFound(nameAt, name);
    else if (!('persistentVolumeClaim' in volume || 'ephemeral' in volume)) {
      pod.invalid(nameAt, name, NO_BLOCK);
    }
    const placeAt = `${path}[${index}].devicePath`;
    const place = textAt(device, 'devicePath');
    checkDevicePath(place, placeAt, places, pod);
    if (mounted.has(name)) pod.invalid(nameAt, name, 'must not already exist in volumeMounts');
    if ([...mounted.values()].includes(place)) {
      const rule = 'must not already exist as a path in volumeMounts';
      pod.invalid(placeAt, place, rule);
    }
    if (name !== '') names.add(name);
  }
}

function checkDevicePath(place: string, at: string, places: Set<string>, pod: PodReport): void {
  if (place === '') pod.required(at);
  if (places.has(place)) pod.invalid(at, place, 'must be unique');
  if (withoutBacksteps(place).length > 0) {
    pod.invalid(at, place, "can not contain backsteps ('..')");
  } else places.add(place);
}
