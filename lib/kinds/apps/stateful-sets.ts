import { isSince } from '../../meta/releases/kubernetes-features.ts';
import type { StrategyContext } from '../../server/registry/contract/strategy.ts';
import { goForm } from '../../server/registry/validation/go-form.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import {
  isRecord,
  jsonEqual,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { causesOf, checkedBy, Report, type Check } from '../../server/registry/validation/check.ts';
import { all, each, fields, when } from '../../server/registry/validation/combine.ts';
import { dnsLabel } from '../../server/registry/validation/formats.ts';
import {
  atMostAllPercent,
  intOrPercent,
  intOrPercentValue,
} from '../../server/registry/validation/int-or-percent.ts';
import {
  labelMap,
  hasWrongSelectorValue,
  labelSelector,
} from '../../server/registry/validation/label-selector-checks.ts';
import { format, nonNegative, oneOf, immutable } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { podTemplateChecks } from '../pods/pod-template.ts';
import { annotationMap } from '../pods/report/annotation-map.ts';
import { claimSpecChecks } from '../pods/volumes/claim-spec.ts';
import { fractionWarnings } from '../pods/warnings/spec-warnings.ts';
import { templateWarnings } from './template-warnings.ts';
import {
  alwaysRestarted,
  selectorAndTemplate,
  fixedSelector,
  isEmptySelector,
  readSelector,
  shownSelector,
  templateMatches,
} from './workload-checks.ts';
import { workloadScale } from './workload-scale.ts';
import { badRequest } from '../../meta/failure/failures.ts';
import { statusStrategyOf } from '../status/status-rules.ts';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** How often the template has changed: an annotation in this version, a field of the internal type. */
function templateGeneration({ metadata }: MutableObject): number {
  const text = metadata.annotations?.[TEMPLATE_GENERATION];
  if (text === undefined) return 0;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  const detail = `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: ${detail}`);
}

function setTemplateGeneration({ metadata }: MutableObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: `${generation}` };
}

const oneOfBoth: Check = (rolling, path, report) => {
  const maxSurge = valueAt(rolling, 'maxSurge');
  const surges = intOrPercentValue(maxSurge) !== 0;
  if (surges === (intOrPercentValue(valueAt(rolling, 'maxUnavailable')) === 0)) return;
  if (surges) {
    const detail = 'may not be set when maxUnavailable is non-zero';
    report.invalid(`${path}.maxSurge`, maxSurge, detail);
  } else {
    report.required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0');
  }
};

const daemonUpdate = all(
  fields({ maxUnavailable: intOrPercent, maxSurge: intOrPercent }),
  fields({ maxUnavailable: atMostAllPercent, maxSurge: atMostAllPercent }),
  oneOfBoth,
);

const TYPES = ['RollingUpdate', 'OnDelete'];

const daemonStrategy: Check = (value, path, report) => {
  const { type = '', rollingUpdate: rolling } = isRecord(value) ? value : {};
  if (type === 'RollingUpdate') daemonUpdate(rolling, `${path}.rollingUpdate`, report);
  if (TYPES.includes(String(type))) return;
  const { maxUnavailable = 0, maxSurge = 0 } = isRecord(rolling) ? rolling : {};
  const shown = isRecord(rolling) ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } : null;
  report.notSupported(path, { Type: type, RollingUpdate: shown }, TYPES);
};

const strictSelector = labelSelector();
const lenientSelector = labelSelector({ strictValues: false });

/** The value is the spec. */
const selectorOfPods: Check = (spec, path, report, old) => {
  if (!isRecord(spec)) return;
  const { selector, template } = spec;
  const isLenient = hasWrongSelectorValue(valueAt(old, 'selector'));
  (isLenient ? lenientSelector : strictSelector)(selector, `${path}.selector`, report);
  const read = readSelector(selector);
  if (read.ok) templateMatches(template, read.selector, `${path}.template`, report);
  if (!isRecord(selector) || !isEmptySelector(selector)) return;
  const detail = 'empty selector is invalid for daemonset';
  report.invalid(`${path}.selector`, shownSelector(selector), detail);
};

/** @see pkg/apis/apps/validation/validation.go ValidateDaemonSet @ v1.36.3 */
const daemonSetChecks: Check = fields({
  spec: all(
    fields({ selector: fixedSelector }),
    selectorOfPods,
    fields({
      template: all(podTemplateChecks, alwaysRestarted('DaemonSet')),
      minReadySeconds: nonNegative,
    }),
    when(
      (_spec, { object }) => templateGeneration(object as MutableObject) < 0,
      (_spec, path, report) => {
        const generation = templateGeneration(report.object as MutableObject);
        nonNegative(generation, `${path}.templateGeneration`, report);
      },
    ),
    fields({ updateStrategy: daemonStrategy, revisionHistoryLimit: nonNegative }),
  ),
});

const statusStrategy = statusStrategyOf('apps', 'daemonsets');

export const daemonSets: KindRules = {
  group: 'apps',
  resource: 'daemonsets',
  strategy: {
    ...checkedBy(daemonSetChecks),
    prepareForCreate(set) {
      setTemplateGeneration(set, Math.max(templateGeneration(set), 1));
    },
    prepareForUpdate(set, existing) {
      const isSame = jsonEqual(
        valueAt(set, 'spec', 'template'),
        valueAt(existing, 'spec', 'template'),
      );
      setTemplateGeneration(set, templateGeneration(existing) + (isSame ? 0 : 1));
    },
    warnings(set, existing) {
      const before = existing?.metadata?.annotations?.[TEMPLATE_GENERATION];
      const isSame =
        existing !== undefined && before === set.metadata?.annotations?.[TEMPLATE_GENERATION];
      return isSame ? [] : templateWarnings(set, undefined);
    },
  },
  statusStrategy: {
    ...statusStrategy,
    prepareForUpdate(set, existing, context) {
      statusStrategy.prepareForUpdate(set, existing, context);
      setTemplateGeneration(set, templateGeneration(existing));
    },
  },
};

const data: Check = (value, path, report, old) => {
  if (report.isUpdate) return immutable(value, path, report, old);
  if (isRecord(value)) return;
  const isNone = value === undefined || value === null;
  const detail = isNone ? 'data is mandatory' : 'data must be a valid JSON object';
  report.required(path, detail);
};

/** @see pkg/apis/apps/validation/validation.go ValidateControllerRevisionCreate @ v1.36.3 */
const revisionChecks: Check = fields({ revision: nonNegative, data });

export const controllerRevisions: KindRules = {
  group: 'apps',
  resource: 'controllerrevisions',
  strategy: checkedBy(revisionChecks),
};

const MANAGEMENT: readonly unknown[] = ['OrderedReady', 'Parallel'];

const podManagementPolicy: Check = (value, path, report) => {
  if (value === undefined || value === '') return report.required(path);
  if (MANAGEMENT.includes(value)) return;
  report.invalid(path, value, "must be 'OrderedReady' or 'Parallel'");
};

const notZero: Check = (value, path, report) => {
  if (value === undefined || intOrPercentValue(value) !== 0) return;
  report.invalid(path, value, 'cannot be 0');
};

const rollingUpdate = fields({
  partition: nonNegative,
  maxUnavailable: when(
    (value) => value !== undefined,
    all(intOrPercent, notZero, atMostAllPercent),
  ),
});

function shownRolling(rolling: unknown): unknown {
  if (!isRecord(rolling)) return null;
  const { partition = 0, maxUnavailable = null } = rolling;
  return { Partition: partition, MaxUnavailable: maxUnavailable };
}

const updateStrategy: Check = (value, path, report) => {
  const { type = '', rollingUpdate: rolling } = isRecord(value) ? value : {};
  const place = `${path}.rollingUpdate`;
  if (type === '') report.required(path);
  else if (type === 'RollingUpdate') rollingUpdate(rolling, place, report);
  else if (type !== 'OnDelete') {
    const shown = { Type: type, RollingUpdate: shownRolling(rolling) };
    report.invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'");
  } else if (isRecord(rolling)) {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    report.invalid(place, shownRolling(rolling), detail);
  }
};

const whatHappens = oneOf(['Retain', 'Delete']);

/** The controller sets host name and subdomain of the pods, and adds a volume for each claim. */
function templateOfPods(template: unknown, set: JsonRecord): unknown {
  const pod = recordAt(template, 'spec');
  const claims = recordsAt(set, 'spec', 'volumeClaimTemplates');
  const isNamed = textAt(pod, 'subdomain') !== '' || textAt(pod, 'hostname') !== '';
  if (pod === undefined || (!isNamed && claims.length === 0)) return template;
  const { subdomain: _subdomain, hostname: _hostname, ...spec } = pod;
  if (claims.length > 0) {
    const names = new Set(claims.map((claim) => textAt(claim, 'metadata', 'name')));
    spec['volumes'] = [
      ...[...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
      ...recordsAt(pod, 'volumes').filter((volume) => !names.has(textAt(volume, 'name'))),
    ];
  }
  return { ...(template as JsonRecord), spec };
}

/** A template that was wrong before its rules came may stay as it is. */
const template: Check = (value, path, report, old) => {
  const { object, existing } = report;
  const found = new Report(object, existing);
  podTemplateChecks(templateOfPods(value, object), path, found, old);
  const isWrongAlready =
    found.causes.length > 0 &&
    existing !== undefined &&
    causesOf(statefulSetChecks, existing).length > 0;
  if (!isWrongAlready) for (const cause of found.causes) report.add(cause);
  // They are checked twice.
  const { labels, annotations } = recordAt(value, 'metadata') ?? {};
  labelMap(labels, `${path}.labels`, report);
  annotationMap(annotations, `${path}.annotations`, report);
};

const CHANGEABLE = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
] as const;

const NAMED_WHEN_CHANGED = [
  'selector',
  'volumeClaimTemplates',
  'serviceName',
  'podManagementPolicy',
] as const;

/** A field as kube-apiserver writes it into a message. */
function shownField(name: (typeof NAMED_WHEN_CHANGED)[number], value: unknown): unknown {
  if (name === 'selector') return value === undefined ? null : shownSelector(value);
  if (!Array.isArray(value)) return value ?? (name === 'volumeClaimTemplates' ? null : '');
  return value.map((claim: JsonRecord) => goForm('core.PersistentVolumeClaim', claim));
}

const unchanged: Check = (spec, path, report, old) => {
  if (!report.isUpdate || !isRecord(spec) || !isRecord(old)) return;
  const after = { ...spec };
  const before = { ...old };
  for (const name of CHANGEABLE) {
    delete after[name];
    delete before[name];
  }
  if (report.isSince('statefulSetFieldsNamed')) {
    for (const name of NAMED_WHEN_CHANGED) {
      if (!jsonEqual(after[name], before[name])) {
        report.immutable(`${path}.${name}`, shownField(name, after[name]));
      }
      delete after[name];
      delete before[name];
    }
  }
  if (jsonEqual(after, before)) return;
  const detail =
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
  report.forbidden(path, detail);
};

const atCreation = (check: Check): Check => when((_value, { isUpdate }) => !isUpdate, check);

/** @see pkg/apis/apps/validation/validation.go ValidateStatefulSet @ v1.36.3 */
const statefulSetChecks: Check = fields({
  spec: all(
    fields({
      podManagementPolicy,
      updateStrategy,
      persistentVolumeClaimRetentionPolicy: fields({
        whenDeleted: whatHappens,
        whenScaled: whatHappens,
      }),
      volumeClaimTemplates: atCreation(each(fields({ spec: claimSpecChecks }))),
      replicas: nonNegative,
      minReadySeconds: nonNegative,
      ordinals: fields({ start: nonNegative }),
      serviceName: atCreation(when((value) => value !== '', format(dnsLabel))),
    }),
    selectorAndTemplate({ name: 'statefulset', unreadable: '', template }),
    fields({ template: alwaysRestarted('StatefulSet') }),
    unchanged,
  ),
});

/** A field of a feature that is off stays only where it was before. */
function dropMaxUnavailable(
  set: MutableObject,
  { minor, existing }: Pick<StrategyContext, 'minor'> & { readonly existing?: MutableObject },
): void {
  if (isSince(minor, 'statefulSetMaxUnavailable')) return;
  const path = ['spec', 'updateStrategy', 'rollingUpdate'] as const;
  const rolling = recordAt(set, ...path);
  if (rolling?.['maxUnavailable'] === undefined) return;
  if (valueAt(existing, ...path, 'maxUnavailable') !== undefined) return;
  const { maxUnavailable: _dropped, ...kept } = rolling;
  const spec = recordAt(set, 'spec');
  set['spec'] = {
    ...spec,
    updateStrategy: { ...recordAt(spec, 'updateStrategy'), rollingUpdate: kept },
  };
}

/** At an update, kube-apiserver writes one step of the path in capitals. */
function claimWarnings(set: UnstructuredObject, existing?: UnstructuredObject): string[] {
  const step = existing === undefined ? '' : '.Spec';
  return recordsAt(set, 'spec', 'volumeClaimTemplates').flatMap((claim, index) =>
    ['requests', 'limits'].flatMap((which) =>
      fractionWarnings(
        valueAt(claim, 'spec', 'resources', which, 'storage'),
        `spec.volumeClaimTemplates[${index}]${step}.resources.${which}[storage]`,
      ),
    ),
  );
}

function limitWarnings(set: UnstructuredObject): string[] {
  const limit = valueAt(set, 'spec', 'revisionHistoryLimit');
  if (typeof limit !== 'number' || limit >= 0) return [];
  return [
    'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended',
  ];
}

export const statefulSets: KindRules = {
  group: 'apps',
  resource: 'statefulsets',
  strategy: {
    ...checkedBy(statefulSetChecks),
    prepareForCreate(set, { minor }) {
      dropMaxUnavailable(set, { minor });
    },
    prepareForUpdate(set, existing, { minor }) {
      dropMaxUnavailable(set, { minor, existing });
    },
    warnings: (set, existing) => [
      ...templateWarnings(set, existing),
      ...claimWarnings(set, existing),
      ...limitWarnings(set),
    ],
  },
  scale: workloadScale,
};
