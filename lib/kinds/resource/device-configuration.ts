import {
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { fields } from '../../server/registry/validation/combine.ts';
import { csiDriverName } from '../../server/registry/validation/csi-driver-name.ts';

const LARGEST_PARAMETERS = 10 * 1024;

/** An object of a driver, at most so many bytes as it is. */
export function driverObject(most: number = LARGEST_PARAMETERS): Check {
  return (value, path, report) => {
    if (value === undefined || value === null) return report.add(fieldRequired(path));
    if (Buffer.byteLength(JSON.stringify(value)) > most) {
      report.add(fieldTooLong(path, most, 'bytes'));
    } else if (!isRecord(value)) {
      report.add(fieldInvalid(path, '<value omitted>', 'must be a valid JSON object'));
    }
  };
}

const opaque = fields({ driver: csiDriverName, parameters: driverObject() });

/** The configuration for a driver. @see pkg/apis/resource/validation validateDeviceConfiguration @ v1.36.3 */
export const deviceConfiguration: Check = fields({
  opaque: (value, path, report) => {
    if (value === undefined) report.add(fieldRequired(path));
    else opaque(value, path, report);
  },
});

const LONGEST_EXPRESSION = 10 * 1024;

/** A selector in CEL, which is stored and not compiled. */
export const deviceSelector: Check = fields({
  cel: (value, path, report) => {
    if (!isRecord(value)) return report.add(fieldRequired(path));
    const { expression } = value;
    if (typeof expression !== 'string') return;
    if (Buffer.byteLength(expression) <= LONGEST_EXPRESSION) return;
    report.add(fieldTooLong(`${path}.expression`, LONGEST_EXPRESSION, 'bytes'));
  },
});
