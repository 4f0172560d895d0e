import { defaultTo, isRecord, recordAt, textAt, type JsonRecord } from '../../meta/json-value.ts';
import type { SetDefaults } from '../../server/registry/typed/type-reader.ts';
import { adoptLabels, defaultUnset } from './core-defaults.ts';

const MOST_INT32 = 2 ** 31 - 1;

/** Sets the parameters of a rolling update, which is the default type of an update strategy. */
function rollingUpdate(values: JsonRecord): SetDefaults {
  return (strategy) => {
    const isRolling = defaultTo(strategy, 'type', 'RollingUpdate') === 'RollingUpdate';
    const given = strategy['rollingUpdate'] ?? (isRolling ? {} : undefined);
    if (!isRecord(given)) return;
    const rolling = { ...given };
    for (const [name, value] of Object.entries(values)) {
      // In other types kube-apiserver only has the zero of its internal type.
      defaultUnset(rolling, name, isRolling ? value : 0);
    }
    strategy['rollingUpdate'] = rolling;
  };
}

export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** Part of the internal spec: kube-apiserver writes it into each object that it reads, so that it belongs to the writer. */
function setTemplateGeneration(set: JsonRecord): void {
  const metadata = set['metadata'] ?? {};
  if (!isRecord(metadata)) return;
  const annotations = metadata['annotations'] ?? {};
  if (!isRecord(annotations) || Object.hasOwn(annotations, TEMPLATE_GENERATION)) return;
  set['metadata'] = { ...metadata, annotations: { ...annotations, [TEMPLATE_GENERATION]: '0' } };
}

function setStatefulStrategyDefaults(strategy: JsonRecord): void {
  if (textAt(strategy, 'type') === '') {
    strategy['type'] = 'RollingUpdate';
    defaultUnset(strategy, 'rollingUpdate', {});
  }
  const given = strategy['rollingUpdate'];
  if (strategy['type'] !== 'RollingUpdate' || !isRecord(given)) return;
  const rolling = { ...given };
  defaultUnset(rolling, 'partition', 0);
  strategy['rollingUpdate'] = rolling;
}

/** Also how many pods may be missing during a rolling update, which is no default in older versions. */
export function setRollingStatefulDefaults(strategy: JsonRecord): void {
  setStatefulStrategyDefaults(strategy);
  const rolling = strategy['rollingUpdate'];
  if (strategy['type'] !== 'RollingUpdate' || !isRecord(rolling)) return;
  defaultUnset(rolling, 'maxUnavailable', 1);
}

function setStatefulDefaults(spec: JsonRecord): void {
  defaultUnset(spec, 'replicas', 1);
  defaultTo(spec, 'podManagementPolicy', 'OrderedReady');
  defaultUnset(spec, 'revisionHistoryLimit', 10);
  defaultUnset(spec, 'persistentVolumeClaimRetentionPolicy', {});
  const claims = spec['volumeClaimTemplates'];
  if (!Array.isArray(claims)) return;
  spec['volumeClaimTemplates'] = claims.map((claim: unknown) =>
    isRecord(claim) ? { ...claim, kind: 'PersistentVolumeClaim', apiVersion: 'v1' } : claim,
  );
}

/** Those of the spec belong to jobs only: the template of a cron job keeps what it leaves out. */
function setJobDefaults(job: JsonRecord): void {
  const spec = { ...recordAt(job, 'spec') };
  setJobSpecDefaults(spec);
  job['spec'] = spec;
  const labels = recordAt(job, 'spec', 'template', 'metadata', 'labels');
  if (labels !== undefined) adoptLabels(job, labels);
}

function setJobSpecDefaults(spec: JsonRecord): void {
  const isCounted = (spec['parallelism'] ?? undefined) !== undefined;
  if (!isCounted) defaultUnset(spec, 'completions', 1);
  defaultUnset(spec, 'parallelism', 1);
  defaultUnset(
    spec,
    'backoffLimit',
    (spec['backoffLimitPerIndex'] ?? undefined) === undefined ? 6 : MOST_INT32,
  );
  defaultUnset(spec, 'completionMode', 'NonIndexed');
  defaultUnset(spec, 'suspend', false);
  defaultUnset(
    spec,
    'podReplacementPolicy',
    (spec['podFailurePolicy'] ?? undefined) === undefined ? 'TerminatingOrFailed' : 'Failed',
  );
  defaultUnset(spec, 'manualSelector', false);
}

/** The defaults of workloads, by type. @see pkg/apis/{apps,batch,autoscaling}/v1/defaults.go @ v1.36.3 */
export const WORKLOAD_DEFAULTS: Readonly<Record<string, SetDefaults>> = {
  'apps.DeploymentSpec': (spec) => {
    defaultUnset(spec, 'replicas', 1);
    defaultUnset(spec, 'revisionHistoryLimit', 10);
    defaultUnset(spec, 'progressDeadlineSeconds', 600);
  },
  'apps.DeploymentStrategy': rollingUpdate({ maxUnavailable: '25%', maxSurge: '25%' }),
  'apps.DaemonSet': setTemplateGeneration,
  'apps.DaemonSetSpec': (spec) => {
    defaultUnset(spec, 'revisionHistoryLimit', 10);
  },
  'apps.DaemonSetUpdateStrategy': rollingUpdate({ maxUnavailable: 1, maxSurge: 0 }),
  'apps.ReplicaSetSpec': (spec) => {
    defaultUnset(spec, 'replicas', 1);
  },
  'apps.StatefulSetSpec': setStatefulDefaults,
  'apps.StatefulSetUpdateStrategy': setStatefulStrategyDefaults,
  'apps.StatefulSetPersistentVolumeClaimRetentionPolicy': (policy) => {
    defaultTo(policy, 'whenDeleted', 'Retain');
    defaultTo(policy, 'whenScaled', 'Retain');
  },
  'batch.Job': setJobDefaults,
  'batch.CronJobSpec': (spec) => {
    defaultTo(spec, 'concurrencyPolicy', 'Allow');
    defaultUnset(spec, 'suspend', false);
    defaultUnset(spec, 'successfulJobsHistoryLimit', 3);
    defaultUnset(spec, 'failedJobsHistoryLimit', 1);
  },
  'batch.PodFailurePolicyOnPodConditionsPattern': (pattern) => {
    defaultTo(pattern, 'status', 'True');
  },
};
