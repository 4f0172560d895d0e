import {
  fieldForbidden,
  fieldImmutable,
  fieldRequired,
  fieldTooLong,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord } from '../../meta/json-value.ts';
import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import { causesOf, checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, isChanged } from '../../server/registry/validation/combine.ts';
import { dnsSubdomain } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import { between, format } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { sizeOf } from './class-parameters.ts';
import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';
import { inlineVolume } from './inline-volume.ts';

const LARGEST_METADATA = 256 * 1024;
const LONGEST_MESSAGE = 1024;
const MOST_INT32 = 2 ** 31 - 1;

const source: Check = (value, path, report) => {
  if (!isRecord(value)) return;
  const { inlineVolumeSpec, persistentVolumeName } = value;
  const rule = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  const hasName = persistentVolumeName !== undefined;
  if ((inlineVolumeSpec !== undefined) === hasName) {
    report.add(hasName ? fieldForbidden(path, rule) : fieldRequired(path, rule));
  } else if (persistentVolumeName === '') {
    const detail = 'must specify non empty persistentVolumeName';
    report.add(fieldRequired(`${path}.persistentVolumeName`, detail));
  } else inlineVolume(inlineVolumeSpec, `${path}.inlineVolumeSpec`, report);
};

const attachmentMetadata: Check = (map, path, report) => {
  if (!isRecord(map) || sizeOf(map) <= LARGEST_METADATA) return;
  report.add(fieldTooLong(path, LARGEST_METADATA, 'bytes'));
};

const volumeError = fields({
  message: (text, path, report) => {
    if (typeof text !== 'string' || Buffer.byteLength(text) <= LONGEST_MESSAGE) return;
    // kube-apiserver names the limit of the metadata.
    report.add(fieldTooLong(path, LARGEST_METADATA, 'bytes'));
  },
  errorCode: between(0, MOST_INT32),
});

const volumeName: Check = (spec, path, report) => {
  const { persistentVolumeName: name } = (
    isRecord(spec) && isRecord(spec['source']) ? spec['source'] : {}
  ) as { readonly persistentVolumeName?: unknown };
  format(dnsSubdomain)(name, `${path}.source.persistentVolumeName`, report);
};

const sameSpec: Check = (spec, path, report, old) => {
  if (!isChanged(spec, report, old)) return;
  report.add(fieldImmutable(path, goForm('storage.VolumeAttachmentSpec', spec)));
};

/** @see pkg/apis/storage/validation ValidateVolumeAttachment @ v1.36.3 */
const checks = all(
  fields({
    spec: fields({ attacher: csiDriverName, source, nodeName: format(dnsSubdomain) }),
    status: fields({ attachmentMetadata, attachError: volumeError, detachError: volumeError }),
  }),
  fields({ spec: all(volumeName, sameSpec) }),
);

export const volumeAttachments: KindRules = {
  group: 'storage.k8s.io',
  resource: 'volumeattachments',
  strategy: checkedBy(checks),
  statusStrategy: newStatusStrategy({
    keepMetadata: true,
    validateUpdate: (object, existing) => causesOf(checks, object, existing),
  }),
};
