import type { Check } from './check.ts';
import { dnsSubdomain } from './formats.ts';

const LONGEST = 63;

/** The name of a CSI driver. @see pkg/apis/core/validation ValidateCSIDriverName @ v1.36.3 */
export const csiDriverName: Check = (name = '', path, report) => {
  const text = String(name);
  if (text === '') return report.required(path);
  if (Buffer.byteLength(text) > LONGEST) report.tooLong(path, LONGEST, 'bytes');
  for (const problem of dnsSubdomain(text.toLowerCase())) report.invalid(path, text, problem);
};
