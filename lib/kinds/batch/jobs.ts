import type { KubernetesMinor } from '../../meta/releases/kubernetes-releases.ts';
import { podSpecForm } from '../pods/report/pod-spec-form.ts';
import { newStatusStrategy } from '../../server/registry/contract/strategy.ts';
import {
  jsonEqual,
  numberAt,
  valueAt,
  ensureRecord,
  isRecord,
  recordAt,
  textAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, when } from '../../server/registry/validation/combine.ts';
import { dnsLabel } from '../../server/registry/validation/formats.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import {
  fixedSelector,
  readSelector,
  shownMap,
  shownSelector,
  templateMatches,
} from '../apps/workload-checks.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { jobSpec } from './job-spec.ts';
import { jobStatusCauses } from './job-status.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import {
  hasWrongSelectorValue,
  labelSelector,
} from '../../server/registry/validation/label-selector-checks.ts';
import { hasCondition } from './job-conditions.ts';
import { format, nonNegative, oneOf } from '../../server/registry/validation/values.ts';
import { scheduleProblem } from './cron-schedule.ts';
import { scheduleZoneProblems } from './time-zone.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { isNewGeneration, nameWarnings, templateWarnings } from '../apps/template-warnings.ts';

const MANY_COMPLETIONS = 100_000;
const HIGH_PARALLELISM = 10_000;

/** Warnings for the spec of a job at a path. @see pkg/api/job/warnings.go @ v1.36.3 */
function jobWarnings(
  object: UnstructuredObject,
  existing: UnstructuredObject | undefined,
  at: readonly string[] = ['spec'],
): readonly string[] {
  if (existing !== undefined && !isNewGeneration(object, existing)) return [];
  const warnings = existing === undefined ? nameWarnings(object) : [];
  const spec = valueAt(object, ...at);
  const isIndexed = valueAt(spec, 'completionMode') === 'Indexed';
  const isWide =
    numberAt(spec, 'completions') > MANY_COMPLETIONS &&
    numberAt(spec, 'parallelism') > HIGH_PARALLELISM;
  if (isIndexed && isWide) {
    warnings.push(
      `${at.join('.')}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    );
  }
  return [...warnings, ...templateWarnings(object, existing, at)];
}

/** A name of a job is at most 63 characters, and 11 are appended to the name of a cron job. */
const LONGEST_NAME = 52;

/** The value is the spec. */
const schedule: Check = (spec, path, report, old) => {
  const text = textAt(spec, 'schedule');
  const place = `${path}.schedule`;
  if (text === '') return report.required(place);
  const problem = scheduleProblem(text);
  if (problem !== undefined) report.invalid(place, text, problem);
  if (!text.includes('TZ')) return;
  if (!textAt(old, 'schedule').includes('TZ')) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    report.invalid(place, text, detail);
  } else if (valueAt(spec, 'timeZone') !== undefined) {
    const detail = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
    report.invalid(place, text, detail);
  }
};

const POLICIES = oneOf(['Allow', 'Forbid', 'Replace']);

const concurrencyPolicy: Check = (value, path, report) => {
  if (value === undefined || value === '') report.required(path);
  else POLICIES(value, path, report);
};

const noSelector: Check = when(
  (value) => value !== undefined,
  (value, path, report) => {
    report.invalid(path, shownSelector(value), '`selector` will be auto-generated');
  },
);

const notManual: Check = (value, path, report) => {
  if (value === true) report.notSupported(path, value, ['nil', 'false']);
};

const shortName: Check = (object, _path, report) => {
  const name = textAt(object, 'metadata', 'name');
  if (report.isUpdate || name.length <= LONGEST_NAME) return;
  const detail = `must be no more than ${LONGEST_NAME} characters`;
  report.invalid('metadata.name', name, detail);
};

const timeZone = when(
  (value, { isUpdate }, old) => !isUpdate || value !== old,
  format(scheduleZoneProblems),
);

/** @see pkg/apis/batch/validation/validation.go ValidateCronJobCreate @ v1.36.3 */
const cronJobChecks: Check = all(
  fields({
    spec: all(
      schedule,
      fields({
        startingDeadlineSeconds: nonNegative,
        timeZone: timeZone,
        concurrencyPolicy,
        jobTemplate: fields({
          spec: all(jobSpec, fields({ selector: noSelector, manualSelector: notManual })),
        }),
        successfulJobsHistoryLimit: nonNegative,
        failedJobsHistoryLimit: nonNegative,
      }),
    ),
  }),
  shortName,
);

export const cronJobs: KindRules = {
  group: 'batch',
  resource: 'cronjobs',
  strategy: {
    ...checkedBy(cronJobChecks),
    warnings: (cronJob, existing) =>
      jobWarnings(cronJob, existing, ['spec', 'jobTemplate', 'spec']),
  },
};

/** A pod template as messages show it: its metadata has no member of its own. */
function shownTemplate(template: unknown, minor: KubernetesMinor | undefined): unknown {
  const { labels, annotations, ...others } = recordAt(template, 'metadata') ?? {};
  return {
    ...others,
    ...(isRecord(labels) ? { labels: shownMap(labels) } : {}),
    ...(isRecord(annotations) ? { annotations: shownMap(annotations) } : {}),
    Spec: podSpecForm(valueAt(template, 'spec'), minor),
  };
}

/** Whether pods of the job neither run nor will: it is suspended, and was not started or has stopped. */
function isAtRest(job: JsonRecord): boolean {
  if (valueAt(job, 'spec', 'suspend') !== true) return false;
  if ((valueAt(job, 'status', 'active') ?? 0) !== 0) return false;
  const notStarted = valueAt(job, 'status', 'startTime') === undefined;
  return notStarted || hasCondition(job, 'Suspended');
}

/** The old pod with what decides where the new one runs. */
function movedPod(old: JsonRecord, pod: JsonRecord): JsonRecord {
  const moved = { ...old };
  for (const name of ['nodeSelector', 'tolerations', 'schedulingGates']) {
    if (pod[name] === undefined) delete moved[name];
    else moved[name] = pod[name];
  }
  const affinity = movedAffinity(recordAt(old, 'affinity'), recordAt(pod, 'affinity'));
  if (affinity === undefined) delete moved['affinity'];
  else moved['affinity'] = affinity;
  return moved;
}

/** The node affinity may change; another one may not. */
function movedAffinity(
  old: JsonRecord | undefined,
  affinity: JsonRecord | undefined,
): JsonRecord | undefined {
  if (old === undefined && affinity === undefined) return undefined;
  const { nodeAffinity: _old, ...others } = old ?? {};
  const nodeAffinity = affinity?.['nodeAffinity'];
  if (affinity === undefined && Object.keys(others).length === 0) return undefined;
  return nodeAffinity === undefined ? others : { ...others, nodeAffinity };
}

/** The old containers with the resources of the new ones. */
function withResources(old: JsonRecord, pod: JsonRecord, list: string): JsonRecord {
  const [before, after] = [old[list], pod[list]];
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return old;
  const merged = before.map((one: unknown, index) =>
    isRecord(one) ? { ...one, resources: valueAt(after[index], 'resources') } : one,
  );
  return { ...old, [list]: merged };
}

/**
 * The template of a job stays; of one at rest, where its pods run and their resources may change.
 * @see pkg/apis/batch/validation/validation.go validatePodTemplateUpdate @ v1.36.3
 */
const fixedTemplate: Check = (template, path, report, old) => {
  const { existing } = report;
  if (existing === undefined) return;
  if (!isAtRest(existing)) {
    if (jsonEqual(template, old)) return;
    report.invalid(path, shownTemplate(template, report.policy.minor), 'field is immutable');
    return;
  }
  const pod = recordAt(template, 'spec') ?? {};
  let before = movedPod(recordAt(old, 'spec') ?? {}, pod);
  for (const list of ['containers', 'initContainers']) before = withResources(before, pod, list);
  if (jsonEqual(pod, before)) return;
  report.invalid(`${path}.spec`, podSpecForm(pod, report.policy.minor), 'field is immutable');
};

const PREFIX = 'batch.kubernetes.io/';
const CONTROLLER_UID = `${PREFIX}controller-uid`;
const JOB_NAME = `${PREFIX}job-name`;

/** The labels of the pods of a job. The ones without a prefix are those of older versions. */
function labelsOf(job: MutableObject): Readonly<Record<string, string>> {
  const { uid = '', name = '' } = job.metadata;
  return {
    'controller-uid': uid,
    'job-name': name,
    [CONTROLLER_UID]: uid,
    [JOB_NAME]: name,
  };
}

/** Sets a selector by the uid of the job, so that no two jobs select the same pods. */
function generateSelector(job: MutableObject): void {
  const spec = recordAt(job, 'spec');
  const template = recordAt(spec, 'template');
  if (spec === undefined || template === undefined || spec['manualSelector'] === true) return;
  const metadata = ensureRecord(template, 'metadata');
  const labels = metadata === undefined ? undefined : ensureRecord(metadata, 'labels');
  if (labels === undefined) return;
  const adoptsLabels = jsonEqual(job.metadata.labels ?? {}, labels);
  for (const [name, value] of Object.entries(labelsOf(job))) {
    if (!Object.hasOwn(labels, name)) labels[name] = value;
  }
  const selector = recordAt(spec, 'selector');
  const given = recordAt(selector, 'matchLabels');
  const { uid = '' } = job.metadata;
  spec['selector'] = { ...selector, matchLabels: { [CONTROLLER_UID]: uid, ...given } };
  // A job without labels has those of its pods.
  if (adoptsLabels) job.metadata.labels = { ...(labels as Record<string, string>) };
}

/** The labels and the selector of a job are as `generateSelector` makes them, unless the user cares for them. The value is the job. */
const generatedSelector: Check = (job, _path, report) => {
  const selector = valueAt(job, 'spec', 'selector');
  if (valueAt(job, 'spec', 'manualSelector') === true || !isRecord(selector)) return;
  const before = recordAt(report.existing, 'spec', 'template', 'metadata', 'labels');
  // Jobs of older versions do not have the labels with a prefix.
  const isOld =
    report.isUpdate && (before?.[JOB_NAME] === undefined || before[CONTROLLER_UID] === undefined);
  const expected = Object.entries(labelsOf(job as MutableObject)).filter(
    ([name]) => !isOld || !name.startsWith(PREFIX),
  );
  const labels = recordAt(job, 'spec', 'template', 'metadata', 'labels') ?? {};
  for (const [name, value] of expected) {
    const place = `spec.template.metadata.labels[${name}]`;
    const detail = `must be '${value}'`;
    if (!Object.hasOwn(labels, name)) report.required(place, detail);
    else if (labels[name] !== value) {
      report.invalid(place, shownMap(labels), detail);
    }
  }
  if (report.isUpdate && report.isSince('jobSelectorAtCreation')) return;
  const read = readSelector(selector);
  if (read.ok && read.selector?.matches(Object.fromEntries(expected)) === false) {
    const detail = '`selector` not auto-generated';
    report.invalid('spec.selector', shownSelector(selector), detail);
  }
};

const strictSelector = labelSelector();
const lenientSelector = labelSelector({ strictValues: false });

/** The selector of a job matches its template; the value is the spec. */
const jobSelector: Check = (spec, path, report, old) => {
  const selector = valueAt(spec, 'selector');
  const place = `${path}.selector`;
  if (!isRecord(selector)) report.required(place);
  const isLenient = hasWrongSelectorValue(valueAt(old, 'selector'));
  (isLenient ? lenientSelector : strictSelector)(selector, place, report);
  const read = readSelector(selector);
  if (!read.ok) return;
  templateMatches(valueAt(spec, 'template'), read.selector, `${path}.template`, report);
};

/** The name of a job, for messages about the host names of its pods. */
function nameOf(job: unknown): string {
  return textAt(job, 'metadata', 'name');
}

/** The host name of a pod of an indexed job ends with its index. */
const hostNames: Check = (job, _path, report) => {
  const completions = numberAt(job, 'spec', 'completions');
  if (valueAt(job, 'spec', 'completionMode') !== 'Indexed' || completions <= 0) return;
  const name = nameOf(job);
  const longest = `${name}-${completions - 1}`;
  if (dnsLabel(longest).length === 0) return;
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  report.invalid('metadata.name', name, detail);
};

/** Shown as the internal type when `type` is given. */
function fixed(type?: string): Check {
  return (value, path, report, old) => {
    if (jsonEqual(value, old)) return;
    const shown = type === undefined ? (value ?? null) : goForm(type, value);
    report.invalid(path, shown, 'field is immutable');
  };
}

/** Of an indexed job together with the parallelism; of another one not at all. */
const completions: Check = (spec, path, report, old) => {
  const [value, before] = [valueAt(spec, 'completions'), valueAt(old, 'completions')];
  if (value === before) return;
  const place = `${path}.completions`;
  if (valueAt(spec, 'completionMode') !== 'Indexed') {
    report.invalid(place, value ?? null, 'field is immutable');
  } else if (value !== undefined && value !== valueAt(spec, 'parallelism')) {
    const detail = `can only be modified in tandem with ${path}.parallelism`;
    report.invalid(place, value, detail);
  }
};

const spec = fields({ spec: all(jobSpec, jobSelector) });

/** An update is checked as a new job, and once more with the old one. */
const update = all(
  spec,
  fields({
    spec: all(
      completions,
      fields({
        selector: fixedSelector,
        template: fixedTemplate,
        completionMode: fixed(),
        podFailurePolicy: fixed('batch.PodFailurePolicy'),
        backoffLimitPerIndex: fixed(),
        managedBy: fixed(),
        successPolicy: fixed('batch.SuccessPolicy'),
      }),
    ),
  }),
);

/** @see pkg/apis/batch/validation/validation.go ValidateJob, ValidateJobUpdate @ v1.36.3 */
const jobChecks: Check = all(
  generatedSelector,
  spec,
  hostNames,
  when((_job, { isUpdate }) => isUpdate, update),
);

export const jobs: KindRules = {
  group: 'batch',
  resource: 'jobs',
  strategy: {
    ...checkedBy(jobChecks),
    prepareForCreate: generateSelector,
    defaultPropagation: 'Orphan',
    defaultPropagationWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    warnings: (job, existing) => jobWarnings(job, existing),
  },
  statusStrategy: newStatusStrategy({ validateUpdate: jobStatusCauses, labelsOfTemplate: true }),
  selectableFields: {
    'status.successful': (job) => String(numberAt(job, 'status', 'succeeded')),
  },
  refuseField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
};
