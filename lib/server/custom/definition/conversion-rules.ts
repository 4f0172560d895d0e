import { X509Certificate } from 'node:crypto';
import { pemBlocks, type PemBlock } from '../../../kernel/certificates/pem-blocks.ts';
import type { FieldCause } from '../../../meta/failure/failures.ts';
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../registry/rules/field-causes.ts';
import {
  numberAt,
  recordAt,
  textAt,
  textsAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { Report } from '../../registry/validation/check.ts';
import { dnsSubdomain } from '../../registry/validation/formats.ts';
import { webhookUrl } from '../../registry/validation/webhook-client-checks.ts';
import { labelFaults } from './name-rules.ts';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const PATH = 'spec.conversion';
const CLIENT = `${PATH}.webhookClientConfig`;

export interface ConversionRuleOptions {
  readonly requiresKnownReview: boolean;
  readonly allowsWrongBundle: boolean;
}

/** How objects are converted between versions. */
export function conversionCauses(
  conversion: JsonRecord | undefined,
  { requiresKnownReview, allowsWrongBundle }: ConversionRuleOptions,
): FieldCause[] {
  if (conversion === undefined) return [];
  const strategy = textAt(conversion, 'strategy');
  const causes: FieldCause[] = [];
  if (strategy === '') causes.push(fieldRequired(`${PATH}.strategy`));
  else if (strategy !== 'None' && strategy !== 'Webhook') {
    causes.push(fieldNotSupported(`${PATH}.strategy`, strategy, ['None', 'Webhook']));
  }
  const client = recordAt(conversion, 'webhook', 'clientConfig');
  const reviews = textsAt(conversion, 'webhook', 'conversionReviewVersions');
  if (strategy === 'Webhook') {
    causes.push(...clientCauses(client, allowsWrongBundle));
    causes.push(...reviewCauses(reviews, requiresKnownReview));
    return causes;
  }
  const detail = 'should not be set when strategy is not set to Webhook';
  if (client !== undefined) causes.push(fieldForbidden(CLIENT, detail));
  if (reviews.length > 0) causes.push(fieldForbidden(`${PATH}.conversionReviewVersions`, detail));
  return causes;
}

function clientCauses(client: JsonRecord | undefined, allowsWrongBundle: boolean): FieldCause[] {
  if (client === undefined)
    return [fieldRequired(CLIENT, 'required when strategy is set to Webhook')];
  const causes: FieldCause[] = [];
  const url = valueAt(client, 'url');
  const service = recordAt(client, 'service');
  if ((url === undefined) === (service === undefined)) {
    causes.push(fieldRequired(CLIENT, 'exactly one of url or service is required'));
  } else if (typeof url === 'string') causes.push(...urlCauses(url));
  else if (service !== undefined) causes.push(...serviceCauses(service));
  const bundle = textAt(client, 'caBundle');
  const problem = allowsWrongBundle ? undefined : bundleProblem(bundle);
  if (problem !== undefined) causes.push(fieldInvalid(`${CLIENT}.caBundle`, bundle, problem));
  return causes;
}

function urlCauses(url: string): FieldCause[] {
  const report = new Report({});
  webhookUrl(url, `${CLIENT}.url`, report);
  return report.causes;
}

function serviceCauses(service: JsonRecord): FieldCause[] {
  const causes: FieldCause[] = [];
  const field = `${CLIENT}.service`;
  // The real API server takes the name for the namespace here, and the other way round.
  if (textAt(service, 'namespace') === '') causes.push(fieldRequired(`${field}.name`));
  if (textAt(service, 'name') === '') causes.push(fieldRequired(`${field}.namespace`));
  const port = numberAt(service, 'port');
  if (port < 1 || port > 65_535) {
    const detail = 'port is not valid: must be between 1 and 65535, inclusive';
    causes.push(fieldInvalid(`${field}.port`, port, detail));
  }
  const path = textAt(service, 'path');
  return [
    ...causes,
    ...pathFaults(path).map((fault) => fieldInvalid(`${field}.path`, path, fault)),
  ];
}

function pathFaults(path: string): string[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return ['segment[0] may not be empty'];
  const faults = path.startsWith('/') ? [] : ["must start with a '/'"];
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  for (const [index, step] of steps.entries()) {
    if (step === '') faults.push(`segment[${index}] may not be empty`);
    else faults.push(...dnsSubdomain(step).map((fault) => `segment[${index}]: ${fault}`));
  }
  return faults;
}

/** Why certificates in PEM, as base64, cannot be used; undefined for none at all. */
export function bundleProblem(bundle: string): string | undefined {
  const pem = Buffer.from(bundle, 'base64').toString('latin1');
  if (bundle === '') return undefined;
  const blocks = pemBlocks(pem).filter(
    ({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders,
  );
  if (blocks.length > 0 && blocks.every(isCertificate)) return undefined;
  return 'unable to load root certificates: unable to parse bytes as PEM block';
}

function isCertificate({ bytes }: PemBlock): boolean {
  try {
    return new X509Certificate(bytes).raw.length > 0;
  } catch {
    return false;
  }
}

function reviewCauses(versions: readonly string[], requiresKnown: boolean): FieldCause[] {
  const field = `${PATH}.conversionReviewVersions`;
  if (versions.length === 0) return [fieldRequired(field)];
  const causes: FieldCause[] = [];
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) < index) {
      causes.push(fieldInvalid(`${field}[${index}]`, version, 'duplicate version'));
      continue;
    }
    const fault = labelFaults(version);
    if (fault !== '') causes.push(fieldInvalid(`${field}[${index}]`, version, fault));
  }
  if (requiresKnown && !hasKnownReview(versions)) {
    const detail = `must include at least one of ${REVIEW_VERSIONS.join(', ')}`;
    causes.push(fieldInvalid(field, versions, detail));
  }
  return causes;
}

/** Whether API servers understand one of the versions of reviews. */
export function hasKnownReview(versions: readonly string[]): boolean {
  return versions.some((version) => REVIEW_VERSIONS.includes(version));
}
