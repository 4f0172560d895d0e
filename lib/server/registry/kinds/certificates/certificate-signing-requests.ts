import type { UpdateStrategy } from '../../contract/strategy.ts';
import { recordAt, recordsAt, textAt, type JsonRecord } from '../../rules/json-value.ts';
import {
  certificateApproval,
  conditionCauses,
  datedConditions,
} from '../../subresources/certificate-approval.ts';
import type { KindRules } from '../contract/kind-rules.ts';

const statusStrategy: UpdateStrategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForUpdate(request, existing, { nowMs }) {
    request['spec'] = existing['spec'];
    const status: JsonRecord = { ...recordAt(request, 'status') };
    const conditions = recordsAt(request, 'status', 'conditions');
    // Approval and denial have an endpoint of their own: here they stay as they are.
    const kept = recordsAt(existing, 'status', 'conditions').filter(isDecision);
    const given = conditions.filter((one) => !isDecision(one));
    const all = [...kept, ...datedConditions(given, existing, nowMs)];
    if (all.length === 0) delete status['conditions'];
    else status['conditions'] = conditions.length === 0 ? [] : all;
    request['status'] = status;
  },
  validateUpdate: conditionCauses,
};

function isDecision(condition: JsonRecord): boolean {
  return ['Approved', 'Denied'].includes(textAt(condition, 'type'));
}

export const certificateSigningRequests: KindRules = {
  group: 'certificates.k8s.io',
  resource: 'certificatesigningrequests',
  strategy: {
    prepareForCreate(request, { user }) {
      const spec: JsonRecord = { ...recordAt(request, 'spec') };
      for (const field of ['username', 'uid', 'groups', 'extra']) delete spec[field];
      if (user !== undefined) {
        spec['username'] = user.username;
        if (user.uid !== undefined) spec['uid'] = user.uid;
        spec['groups'] = [...user.groups];
        if (user.extra !== undefined) spec['extra'] = user.extra;
      }
      request['spec'] = spec;
    },
    prepareForUpdate(request, existing) {
      request['spec'] = existing['spec'];
    },
  },
  selectableFields: { 'spec.signerName': (request) => textAt(request, 'spec', 'signerName') },
  statusStrategy,
  newSubresources: (parts) => ({ approval: certificateApproval(parts) }),
};
