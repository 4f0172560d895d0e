import { fieldInvalid, fieldRequired, fieldTooLong } from '../rules/field-causes.ts';
import type { Check } from './check.ts';
import { dnsSubdomain } from './formats.ts';

const LONGEST = 63;

/** The name of a CSI driver. @see pkg/apis/core/validation ValidateCSIDriverName @ v1.36.3 */
export const csiDriverName: Check = (name = '', path, report) => {
  const text = String(name);
  if (text === '') return report.add(fieldRequired(path));
  if (Buffer.byteLength(text) > LONGEST) report.add(fieldTooLong(path, LONGEST, 'bytes'));
  for (const problem of dnsSubdomain(text.toLowerCase())) {
    report.add(fieldInvalid(path, text, problem));
  }
};
