import { fieldInvalid, fieldRequired, fieldTooLong } from '../rules/field-causes.ts';
import type { Check } from './check.ts';
import { dnsLabel, dnsSubdomain, type Format } from './formats.ts';

const LONGEST_DOMAIN = 253;
const LONGEST_NAME = LONGEST_DOMAIN + 1 + LONGEST_DOMAIN + 1 + 63;

/** A domain and a path: `example.com/name`. @see pkg/apis/core/validation/names.go ValidateSignerName @ v1.36.3 */
export const signerName: Check = (value = '', path, report) => {
  const text = String(value);
  if (text === '') return report.add(fieldRequired(path));
  const [domain = '', name = '', ...more] = text.split('/');
  if (more.length > 0 || !text.includes('/')) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return report.add(fieldInvalid(path, text, form));
  }
  const labels = (part: string, form: Format): void => {
    const bad = part.split('.').find((label) => form(label).length > 0);
    for (const problem of bad === undefined ? [] : form(bad)) {
      const detail = `validating label ${JSON.stringify(bad)}: ${problem}`;
      report.add(fieldInvalid(path, part, detail));
    }
  };
  if (Buffer.byteLength(domain) > LONGEST_DOMAIN) {
    report.add(fieldTooLong(path, LONGEST_DOMAIN, 'bytes'));
  }
  labels(domain, dnsLabel);
  if (!domain.includes('.')) {
    const detail = 'should be a domain with at least two segments separated by dots';
    report.add(fieldInvalid(path, domain, detail));
  }
  labels(name, dnsSubdomain);
  if (Buffer.byteLength(text) > LONGEST_NAME) {
    report.add(fieldTooLong(path, LONGEST_NAME, 'bytes'));
  }
};
