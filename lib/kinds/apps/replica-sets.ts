import { checkedBy } from '../../server/registry/validation/check.ts';
import { all, fields } from '../../server/registry/validation/combine.ts';
import { nonNegative } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { workloadWarnings } from './template-warnings.ts';
import { fixedSelector, replicaTemplate, selectorAndTemplate } from './workload-checks.ts';
import { workloadScale } from './workload-scale.ts';

/** @see pkg/apis/apps/validation/validation.go ValidateReplicaSet @ v1.36.3 */
const replicaSetChecks = fields({
  spec: all(
    fields({ replicas: nonNegative, minReadySeconds: nonNegative }),
    selectorAndTemplate({
      // The message is that of a deployment.
      name: 'deployment',
      unreadable: 'invalid label selector',
      template: replicaTemplate('ReplicaSet'),
    }),
    fields({ selector: fixedSelector }),
  ),
});

export const replicaSets: KindRules = {
  group: 'apps',
  resource: 'replicasets',
  strategy: { ...checkedBy(replicaSetChecks), warnings: workloadWarnings },
  scale: workloadScale,
};
