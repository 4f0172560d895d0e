import { fieldInvalid, fieldRequired } from '../../server/registry/rules/field-causes.ts';
import {
  ensureRecord,
  isRecord,
  jsonEqual,
  recordAt,
  textAt,
  valueAt,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import {
  hasWrongSelectorValue,
  labelSelector,
} from '../../server/registry/validation/label-selector-checks.ts';
import { readSelector, shownMap, shownSelector, templateMatches } from '../apps/workload-checks.ts';

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
export function generateSelector(job: MutableObject): void {
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
export const generatedSelector: Check = (job, _path, report) => {
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
    if (!Object.hasOwn(labels, name)) report.add(fieldRequired(place, detail));
    else if (labels[name] !== value) {
      report.add(fieldInvalid(place, shownMap(labels), detail));
    }
  }
  const read = readSelector(selector);
  if (read.ok && read.selector?.matches(Object.fromEntries(expected)) === false) {
    const detail = '`selector` not auto-generated';
    report.add(fieldInvalid('spec.selector', shownSelector(selector), detail));
  }
};

const strictSelector = labelSelector();
const lenientSelector = labelSelector({ strictValues: false });

/** The selector of a job matches its template; the value is the spec. */
export const jobSelector: Check = (spec, path, report, old) => {
  const selector = valueAt(spec, 'selector');
  const place = `${path}.selector`;
  if (!isRecord(selector)) report.add(fieldRequired(place));
  const isLenient = hasWrongSelectorValue(valueAt(old, 'selector'));
  (isLenient ? lenientSelector : strictSelector)(selector, place, report);
  const read = readSelector(selector);
  if (!read.ok) return;
  templateMatches(valueAt(spec, 'template'), read.selector, `${path}.template`, report);
};

/** The name of a job, for messages about the host names of its pods. */
export function nameOf(job: unknown): string {
  return textAt(job, 'metadata', 'name');
}
