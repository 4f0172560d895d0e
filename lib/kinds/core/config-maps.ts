import { isRecord, jsonEqual } from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, entries, fields, when } from '../../server/registry/validation/combine.ts';
import { configMapKey } from '../../server/registry/validation/formats.ts';
import { format } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';

/** Maximum size of all values of one object. See pkg/apis/core/types.go MaxSecretSize @ v1.36.3. */
const LARGEST_DATA_BYTES = 1024 * 1024;

const FROZEN = 'field is immutable when `immutable` is set';

const notInBinaryData: Check = (key, path, report) => {
  const { binaryData } = report.object;
  if (isRecord(binaryData) && Object.hasOwn(binaryData, String(key))) {
    report.invalid(path, key, 'duplicate of key present in binaryData');
  }
};

/** The cause names no field, because the limit is one of the whole object. */
const totalSize: Check = (_object, _path, report) => {
  const { data, binaryData } = report.object;
  const bytes = bytesOf(data, (text) => Buffer.byteLength(text));
  const binary = bytesOf(binaryData, (text) => Buffer.byteLength(text, 'base64'));
  if (bytes + binary > LARGEST_DATA_BYTES) report.tooLong('[]', LARGEST_DATA_BYTES, 'bytes');
};

function bytesOf(map: unknown, sizeOf: (text: string) => number): number {
  let bytes = 0;
  for (const text of isRecord(map) ? Object.values(map) : []) {
    if (typeof text === 'string') bytes += sizeOf(text);
  }
  return bytes;
}

const frozen: Check = (value, path, report, old) => {
  if (!jsonEqual(value ?? {}, old ?? {})) report.forbidden(path, FROZEN);
};

const staysImmutable: Check = (value, path, report) => {
  if (value !== true) report.forbidden(path, FROZEN);
};

const configMapChecks: Check = all(
  fields({
    data: entries({ key: all(format(configMapKey), notInBinaryData) }),
    binaryData: entries({ key: format(configMapKey) }),
  }),
  totalSize,
  when(
    (_object, { existing }) => existing?.['immutable'] === true,
    fields({ immutable: staysImmutable, data: frozen, binaryData: frozen }),
  ),
);

export const configMaps: KindRules = {
  resource: 'configmaps',
  strategy: checkedBy(configMapChecks),
};
