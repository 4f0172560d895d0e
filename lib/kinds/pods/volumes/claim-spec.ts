import { isRecord, textAt, textsAt, valueAt } from '../../../meta/json-value.ts';
import type { Check } from '../../../server/registry/validation/check.ts';
import { all, fields, required } from '../../../server/registry/validation/combine.ts';
import { dnsLabel, dnsSubdomain } from '../../../server/registry/validation/formats.ts';
import { labelSelector } from '../../../server/registry/validation/label-selector-checks.ts';
import { positiveQuantity } from '../../../server/registry/validation/quantity-checks.ts';
import { oneOf } from '../../../server/registry/validation/values.ts';
import { filled } from '../report/small-checks.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

const accessModes: Check = (spec, path, report) => {
  const modes = textsAt(spec, 'accessModes');
  const at = `${path}.accessModes`;
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode));
  for (const mode of modes) {
    if (!known.includes(mode)) report.notSupported(at, mode, ACCESS_MODES);
  }
  if (known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')) {
    report.forbidden(at, 'may not use ReadWriteOncePod with other access modes');
  }
};

const modesGiven: Check = (modes, path, report) => {
  if (Array.isArray(modes) && modes.length > 0) return;
  report.required(path, 'at least 1 access mode is required');
};

const positiveStorage = required(positiveQuantity);

const storage: Check = (spec, path, report) => {
  const size = valueAt(spec, 'resources', 'requests', 'storage');
  positiveStorage(size, `${path}.resources[storage]`, report);
};

const kindOfSource: Check = (source, path, report) => {
  const kind = textAt(source, 'kind');
  const isOther = kind !== 'PersistentVolumeClaim' && textAt(source, 'apiGroup') === '';
  if (!isRecord(source) || !isOther) return;
  const rule = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  report.invalid(path, kind, rule);
};

const dataSource: Check = all(
  fields({ name: required(), kind: required() }),
  kindOfSource,
  fields({ apiGroup: filled(dnsSubdomain) }),
);

/** Both forms of one reference. API servers show no value. */
const sameSource: Check = (spec, path, report) => {
  const source = valueAt(spec, 'dataSource');
  const reference = valueAt(spec, 'dataSourceRef');
  if (!isRecord(source) || !isRecord(reference)) return;
  const same = ['apiGroup', 'kind', 'name'].every((name) => source[name] === reference[name]);
  if (textAt(reference, 'namespace') !== '') {
    const rule = 'may not be specified when dataSourceRef.namespace is specified';
    report.invalid(path, {}, rule);
  } else if (!same) report.invalid(path, {}, 'must match dataSourceRef');
};

/**
 * The spec of a claim of a volume.
 * @see pkg/apis/core/validation/validation.go ValidatePersistentVolumeClaimSpec @ v1.36.3
 */
export const claimSpecChecks: Check = all(
  fields({ accessModes: modesGiven, selector: labelSelector() }),
  accessModes,
  storage,
  fields({
    storageClassName: filled(dnsSubdomain),
    volumeMode: oneOf(['Block', 'Filesystem']),
    dataSource,
    dataSourceRef: all(dataSource, fields({ namespace: filled(dnsLabel) })),
  }),
  sameSource,
  fields({ volumeAttributesClassName: filled(dnsSubdomain) }),
);
