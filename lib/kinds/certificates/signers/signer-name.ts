import type { Check } from '../../../server/registry/validation/check.ts';
import {
  dnsLabel,
  dnsSubdomain,
  type Format,
} from '../../../server/registry/validation/formats.ts';

const LONGEST_DOMAIN = 253;
const LONGEST_NAME = LONGEST_DOMAIN + 1 + LONGEST_DOMAIN + 1 + 63;

/** A domain and a path: `example.com/name`. @see pkg/apis/core/validation/names.go ValidateSignerName @ v1.36.3 */
export const signerName: Check = (value = '', path, report) => {
  const text = String(value);
  if (text === '') return report.required(path);
  const [domain = '', name = '', ...more] = text.split('/');
  if (more.length > 0 || !text.includes('/')) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return report.invalid(path, text, form);
  }
  const labels = (part: string, form: Format): void => {
    const bad = part.split('.').find((label) => form(label).length > 0);
    for (const problem of bad === undefined ? [] : form(bad)) {
      const detail = `validating label ${JSON.stringify(bad)}: ${problem}`;
      report.invalid(path, part, detail);
    }
  };
  if (Buffer.byteLength(domain) > LONGEST_DOMAIN) report.tooLong(path, LONGEST_DOMAIN, 'bytes');
  labels(domain, dnsLabel);
  if (!domain.includes('.')) {
    const detail = 'should be a domain with at least two segments separated by dots';
    report.invalid(path, domain, detail);
  }
  labels(name, dnsSubdomain);
  if (Buffer.byteLength(text) > LONGEST_NAME) report.tooLong(path, LONGEST_NAME, 'bytes');
};

/** Whether the signer is one of the Kubernetes project. */
export function isKubernetesSigner(name: string): boolean {
  const [domain = ''] = name.split('/', 1);
  return domain === 'kubernetes.io' || domain.endsWith('.kubernetes.io');
}

/** Longest lives of certificates of pods, by the signer. */
export function longestLifeSeconds(signer: string): number {
  const DAY = 24 * 60 * 60;
  return isKubernetesSigner(signer) ? DAY : 91 * DAY;
}

export const SHORTEST_LIFE_SECONDS: number = 60 * 60;
