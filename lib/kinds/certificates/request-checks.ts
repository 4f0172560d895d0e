import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from '../../server/registry/rules/field-causes.ts';
import { recordsAt, textAt, valueAt } from '../../meta/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import {
  all,
  each,
  fields,
  isEmpty,
  required,
  unique,
} from '../../server/registry/validation/combine.ts';
import { atLeast, oneOf } from '../../server/registry/validation/values.ts';
import { certificateProblem, requestProblem } from './signing-request.ts';
import { dnsLabel, dnsSubdomain, type Format } from '../../server/registry/validation/formats.ts';

const LONGEST_DOMAIN = 253;
const LONGEST_NAME = LONGEST_DOMAIN + 1 + LONGEST_DOMAIN + 1 + 63;

/** A domain and a path: `example.com/name`. @see pkg/apis/core/validation/names.go ValidateSignerName @ v1.36.3 */
const signerName: Check = (value = '', path, report) => {
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

const SHORTEST_SECONDS = 600;

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

const request: Check = (value, path, report, old) => {
  // It stays as it is, and was right at the creation.
  const problem = report.isUpdate && value === old ? undefined : requestProblem(value);
  if (problem !== undefined) report.add(fieldInvalid(path, isEmpty(value) ? null : value, problem));
};

const signer: Check = (value, path, report) => {
  if (value !== 'kubernetes.io/legacy-unknown') return signerName(value, path, report);
  const detail = 'the legacy signerName is not allowed via this API version';
  report.add(fieldInvalid(path, value, detail));
};

/** Conditions that stay once they are set, and are always true. */
const PERMANENT = ['Approved', 'Denied', 'Failed'];

const conditions: Check = (list, path, report) => {
  const types = new Set<string>();
  each((one, place) => {
    const type = textAt(one, 'type');
    const status = textAt(one, 'status');
    const allowed = PERMANENT.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (type === '') report.add(fieldRequired(`${place}.type`));
    if (status === '') report.add(fieldRequired(`${place}.status`));
    else if (!allowed.includes(status)) {
      report.add(fieldNotSupported(`${place}.status`, status, allowed));
    }
    const opposite = type === 'Approved' ? 'Denied' : 'Approved';
    if ((type === 'Approved' || type === 'Denied') && types.has(opposite)) {
      const rule = 'Approved and Denied conditions are mutually exclusive';
      report.add(fieldInvalid(path, type, rule));
    }
    if (types.has(type)) report.add(fieldDuplicate(`${place}.type`, type));
    types.add(type);
  })(list, path, report);
};

const certificate: Check = (value, path, report, old) => {
  const problem = value === old ? undefined : certificateProblem(value);
  if (problem !== undefined) report.add(fieldInvalid(path, '<certificate data>', problem));
};

function countOf(object: unknown, type: string): number {
  return recordsAt(object, 'status', 'conditions').filter((one) => textAt(one, 'type') === type)
    .length;
}

/** Changes of conditions and certificate that an update may not make. Only the endpoint `approval` adds decisions. */
function keptParts(mayDecide: boolean): Check {
  return (_object, _path, report) => {
    const { object, existing } = report;
    if (existing === undefined) return;
    const refuse = (verb: string, type: string): void => {
      const rule = `updates may not ${verb} a condition of type ${JSON.stringify(type)}`;
      report.add(fieldForbidden('status.conditions', rule));
    };
    for (const type of PERMANENT) {
      if (countOf(object, type) < countOf(existing, type)) refuse('remove', type);
    }
    for (const type of mayDecide ? [] : ['Approved', 'Denied']) {
      if (countOf(object, type) > countOf(existing, type)) refuse('add', type);
    }
    const before = valueAt(existing, 'status', 'certificate') ?? '';
    if (before === '' || before === (valueAt(object, 'status', 'certificate') ?? '')) return;
    const rule = 'updates may not modify existing certificate content';
    report.add(fieldForbidden('status.certificate', rule));
  };
}

/** @see pkg/apis/certificates/validation validateCertificateSigningRequest @ v1.36.3 */
export function requestChecks({ mayDecide }: { readonly mayDecide: boolean }): Check {
  return all(
    fields({
      spec: fields({
        request,
        usages: required(each(oneOf(USAGES)), unique()),
        signerName: signer,
        expirationSeconds: atLeast(
          SHORTEST_SECONDS,
          'may not specify a duration less than 600 seconds (10 minutes)',
        ),
      }),
      status: fields({ conditions, certificate }),
    }),
    keptParts(mayDecide),
  );
}
