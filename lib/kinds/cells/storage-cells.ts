import type { KubernetesObject } from '../../meta/object.ts';
import type { ListCells, RowCells } from '../../server/registry/contract/kind-rules.ts';
import { recordsAt, textAt, textsAt, valueAt } from '../../meta/json-value.ts';
import {
  ageCell,
  isLeaving,
  lengthAt,
  nameCell,
  namedRow,
  NONE,
  scalarOr,
  textOr,
  UNSET,
} from './row-cells.ts';

/** The access modes in the order in which they are shown, with their short names. */
const ACCESS_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_CLASSES = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

function accessModes(modes: readonly string[]): string {
  return ACCESS_MODES.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

function classOf(object: KubernetesObject): string {
  const annotated = valueAt(object, 'metadata', 'annotations', CLASS_ANNOTATION);
  return typeof annotated === 'string' ? annotated : textAt(object, 'spec', 'storageClassName');
}

function phaseOf(object: KubernetesObject): string {
  return isLeaving(object) ? 'Terminating' : textAt(object, 'status', 'phase');
}

export const persistentVolumeCells: RowCells = (volume, nowMs) => {
  const claim = valueAt(volume, 'spec', 'claimRef');
  return [
    nameCell(volume),
    scalarOr('0', volume, 'spec', 'capacity', 'storage'),
    accessModes(textsAt(volume, 'spec', 'accessModes')),
    textAt(volume, 'spec', 'persistentVolumeReclaimPolicy'),
    phaseOf(volume),
    claim === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`,
    classOf(volume),
    scalarOr(UNSET, volume, 'spec', 'volumeAttributesClassName'),
    textAt(volume, 'status', 'reason'),
    ageCell(volume, nowMs),
    scalarOr(UNSET, volume, 'spec', 'volumeMode'),
  ];
};

export const persistentVolumeClaimCells: RowCells = (claim, nowMs) => {
  const volume = textAt(claim, 'spec', 'volumeName');
  const bound = volume !== '';
  return [
    nameCell(claim),
    phaseOf(claim),
    volume,
    bound ? scalarOr('0', claim, 'status', 'capacity', 'storage') : '',
    bound ? accessModes(textsAt(claim, 'status', 'accessModes')) : '',
    classOf(claim),
    scalarOr(UNSET, claim, 'spec', 'volumeAttributesClassName'),
    ageCell(claim, nowMs),
    scalarOr(UNSET, claim, 'spec', 'volumeMode'),
  ];
};

/** The row of a class that is not marked as the default. */
export const storageClassCells: RowCells = (object, nowMs) => [
  nameCell(object),
  textAt(object, 'provisioner'),
  textOr('Delete', object, 'reclaimPolicy'),
  textOr('Immediate', object, 'volumeBindingMode'),
  valueAt(object, 'allowVolumeExpansion') === true,
  ageCell(object, nowMs),
];

/** Each class that is annotated as a default is marked. */
export const annotatedClassCells: RowCells = classCells(isDefaultClass);

/** The class that claims without one get is marked: of the annotated ones the newest, and of several the first. */
export const storageClassListCells: ListCells = (objects) => {
  let used: KubernetesObject | undefined;
  for (const object of objects) {
    if (!isDefaultClass(object)) continue;
    if (used === undefined || createdMs(object) > createdMs(used)) used = object;
  }
  const name = used === undefined ? undefined : nameCell(used);
  return classCells((object) => nameCell(object) === name);
};

function classCells(isMarked: (object: KubernetesObject) => boolean): RowCells {
  return (object, nowMs) => {
    const [, ...others] = storageClassCells(object, nowMs);
    return [`${nameCell(object)}${isMarked(object) ? ' (default)' : ''}`, ...others];
  };
}

function isDefaultClass(object: KubernetesObject): boolean {
  return DEFAULT_CLASSES.some(
    (name) => valueAt(object, 'metadata', 'annotations', name) === 'true',
  );
}

function createdMs(object: KubernetesObject): number {
  return Date.parse(textAt(object, 'metadata', 'creationTimestamp')) || 0;
}

export const csiDriverCells: RowCells = namedRow((driver) => {
  const audiences = valueAt(driver, 'spec', 'tokenRequests');
  return [
    valueAt(driver, 'spec', 'attachRequired') !== false,
    valueAt(driver, 'spec', 'podInfoOnMount') === true,
    valueAt(driver, 'spec', 'storageCapacity') === true,
    Array.isArray(audiences)
      ? recordsAt(audiences)
          .map((one) => textAt(one, 'audience'))
          .join(',')
      : UNSET,
    valueAt(driver, 'spec', 'requiresRepublish') === true,
    textsAt(driver, 'spec', 'volumeLifecycleModes').join(',') || NONE,
  ];
});

export const csiNodeCells: RowCells = namedRow((node) => [lengthAt(node, 'spec', 'drivers')]);

export const volumeAttachmentCells: RowCells = namedRow((object) => [
  textAt(object, 'spec', 'attacher'),
  textAt(object, 'spec', 'source', 'persistentVolumeName'),
  textAt(object, 'spec', 'nodeName'),
  valueAt(object, 'status', 'attached') === true,
]);

export const volumeAttributesClassCells: RowCells = namedRow((object) => [
  textAt(object, 'driverName'),
]);
