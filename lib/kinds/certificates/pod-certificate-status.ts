import { isEmpty } from '../../server/registry/validation/combine.ts';
import { isRecord, jsonEqual, recordsAt, textAt } from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { conditionsCheck } from '../../server/registry/validation/condition-checks.ts';
import { checkIssued } from './issued-certificate.ts';

const FINAL: readonly string[] = ['Issued', 'Denied', 'Failed'];
const AT_MOST_ONE = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';

/** A request is issued, denied or failed, once. */
function checkDecisions(status: unknown, report: Report): void {
  let known = 0;
  for (const [index, one] of recordsAt(status, 'conditions').entries()) {
    // The path is that of kube-apiserver.
    const place = `status.conditions.[${index}]`;
    const type = textAt(one, 'type');
    if (!FINAL.includes(type)) {
      report.notSupported(`${place}.type`, type, FINAL);
      continue;
    }
    known += 1;
    if (known > 1) report.invalid(`${place}.type`, type, AT_MOST_ONE);
    const given = textAt(one, 'status');
    if (given !== 'True') report.notSupported(`${place}.status`, given, ['True']);
  }
}

/** The condition that decides about a request. */
function decisionOf(status: unknown): string | undefined {
  const isDecision = (type: string): boolean =>
    recordsAt(status, 'conditions').some(
      (one) => textAt(one, 'type') === type && textAt(one, 'status') === 'True',
    );
  return ['Denied', 'Failed', 'Issued'].find(isDecision);
}

/** Go does not distinguish absent values from empty ones. */
function filled(status: unknown): object {
  const members = Object.entries(isRecord(status) ? status : {});
  return Object.fromEntries(members.filter(([, value]) => !isEmpty(value)));
}

/** @see pkg/apis/certificates/validation ValidatePodCertificateRequestStatusUpdate @ v1.37.2 */
export const podCertificateStatus: Check = (status, path, report, old) => {
  const before = report.causes.length;
  checkDecisions(status, report);
  conditionsCheck(recordsAt(status, 'conditions'), `${path}.conditions`, report);
  if (report.causes.length > before) return;
  const now = filled(status);
  const unlessEqual = (other: object, detail: string): void => {
    if (!jsonEqual(now, other)) report.invalidHere(path, detail);
  };
  if (decisionOf(old) !== undefined) {
    const rule = 'immutable after PodCertificateRequest is issued, denied, or failed';
    return unlessEqual(filled(old), rule);
  }
  const decision = decisionOf(status);
  if (decision === undefined) {
    const rule = 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"';
    return unlessEqual(filled(old), rule);
  }
  if (decision === 'Issued') return checkIssued(report.object, report);
  const rule =
    'non-condition status fields must be empty when denying or failing the PodCertificateRequest';
  unlessEqual(filled({ conditions: recordsAt(status, 'conditions') }), rule);
};
