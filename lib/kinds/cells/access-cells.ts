import type { KubernetesObject } from '../../meta/object.ts';
import type { RowCells } from '../../server/registry/contract/kind-rules.ts';
import { humanDuration } from '../../server/registry/rules/duration.ts';
import { recordAt, recordsAt, textAt, valueAt } from '../../meta/json-value.ts';
import {
  ageCell,
  labelsCell,
  lengthAt,
  nameCell,
  namedRow,
  NONE,
  selectorText,
  textOr,
  UNSET,
} from './row-cells.ts';

export const roleBindingCells: RowCells = (binding, nowMs) => {
  const subjects = recordsAt(binding, 'subjects');
  const ofKind = (kind: string): string =>
    subjects
      .filter((one) => one['kind'] === kind)
      .map((one) =>
        kind === 'ServiceAccount'
          ? `${textAt(one, 'namespace')}/${textAt(one, 'name')}`
          : textAt(one, 'name'),
      )
      .join(', ');
  return [
    nameCell(binding),
    `${textAt(binding, 'roleRef', 'kind')}/${textAt(binding, 'roleRef', 'name')}`,
    ageCell(binding, nowMs),
    ofKind('User'),
    ofKind('Group'),
    ofKind('ServiceAccount'),
  ];
};

function signingStatus(request: KubernetesObject): string {
  const types = recordsAt(request, 'status', 'conditions').map((one) => textAt(one, 'type'));
  const decision = ['Denied', 'Approved'].find((one) => types.includes(one)) ?? 'Pending';
  const failed = types.includes('Failed') ? ',Failed' : '';
  const issued = textAt(request, 'status', 'certificate') === '' ? '' : ',Issued';
  return `${decision}${failed}${issued}`;
}

const SECOND_MS = 1000;

export const certificateSigningRequestCells: RowCells = (request, nowMs) => {
  const seconds = valueAt(request, 'spec', 'expirationSeconds');
  return [
    nameCell(request),
    ageCell(request, nowMs),
    textOr(NONE, request, 'spec', 'signerName'),
    textAt(request, 'spec', 'username'),
    typeof seconds === 'number' ? humanDuration(seconds * SECOND_MS) : NONE,
    signingStatus(request),
  ];
};

export const clusterTrustBundleCells: RowCells = (object) => [
  nameCell(object),
  textOr(NONE, object, 'spec', 'signerName'),
];

export const podCertificateRequestCells: RowCells = (object) => {
  const shown = ['Issued', 'Denied', 'Failed'];
  const types = recordsAt(object, 'status', 'conditions').map((one) => textAt(one, 'type'));
  return [
    nameCell(object),
    textAt(object, 'spec', 'podName'),
    textAt(object, 'spec', 'serviceAccountName'),
    textAt(object, 'spec', 'nodeName'),
    textAt(object, 'spec', 'signerName'),
    types.findLast((one) => shown.includes(one)) ?? 'Pending',
    labelsCell(valueAt(object, 'spec', 'unverifiedUserAnnotations')),
  ];
};

export const webhookConfigurationCells: RowCells = namedRow((object) => [
  lengthAt(object, 'webhooks'),
]);

function policyCells(list: string): RowCells {
  return namedRow((policy) => {
    const kind = recordAt(policy, 'spec', 'paramKind');
    const shown =
      kind === undefined ? UNSET : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
    return [lengthAt(policy, 'spec', list), shown];
  });
}

export const validatingPolicyCells: RowCells = policyCells('validations');
export const mutatingPolicyCells: RowCells = policyCells('mutations');

function parameterOf(binding: KubernetesObject): string {
  const reference = recordAt(binding, 'spec', 'paramRef');
  const name = textAt(reference, 'name');
  if (name !== '') return `${textOr('*', reference, 'namespace')}/${name}`;
  const selector = recordAt(reference, 'selector');
  return selector === undefined ? UNSET : selectorText(selector, '<error>');
}

export const policyBindingCells: RowCells = namedRow((binding) => [
  textAt(binding, 'spec', 'policyName'),
  parameterOf(binding),
]);
