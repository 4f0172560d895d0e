import { badRequest } from '../../meta/failure/failures.ts';
import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
} from '../../server/registry/rules/field-causes.ts';
import { isRecord, jsonEqual, valueAt } from '../../meta/json-value.ts';
import type { MutableObject } from '../../server/registry/rules/mutable-object.ts';
import { checkedBy, type Check } from '../../server/registry/validation/check.ts';
import { all, fields, when } from '../../server/registry/validation/combine.ts';
import {
  atMostAllPercent,
  intOrPercent,
  intOrPercentValue,
} from '../../server/registry/validation/int-or-percent.ts';
import {
  hasWrongSelectorValue,
  labelSelector,
} from '../../server/registry/validation/label-selector-checks.ts';
import { nonNegative } from '../../server/registry/validation/values.ts';
import type { KindRules } from '../../server/registry/contract/kind-rules.ts';
import { podTemplateChecks } from '../pods/pod-template.ts';
import { statusStrategyOf } from '../status/status-rules.ts';
import { templateWarnings } from './template-warnings.ts';
import {
  alwaysRestarted,
  fixedSelector,
  isEmptySelector,
  readSelector,
  shownSelector,
  templateMatches,
} from './workload-checks.ts';

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
    report.add(fieldInvalid(`${path}.maxSurge`, maxSurge, detail));
  } else {
    report.add(fieldRequired(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  }
};

const rollingUpdate = all(
  fields({ maxUnavailable: intOrPercent, maxSurge: intOrPercent }),
  fields({ maxUnavailable: atMostAllPercent, maxSurge: atMostAllPercent }),
  oneOfBoth,
);

const TYPES = ['RollingUpdate', 'OnDelete'];

const updateStrategy: Check = (value, path, report) => {
  const { type = '', rollingUpdate: rolling } = isRecord(value) ? value : {};
  if (type === 'RollingUpdate') rollingUpdate(rolling, `${path}.rollingUpdate`, report);
  if (TYPES.includes(String(type))) return;
  const { maxUnavailable = 0, maxSurge = 0 } = isRecord(rolling) ? rolling : {};
  const shown = isRecord(rolling) ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } : null;
  report.add(fieldNotSupported(path, { Type: type, RollingUpdate: shown }, TYPES));
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
  report.add(fieldInvalid(`${path}.selector`, shownSelector(selector), detail));
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
    fields({ updateStrategy, revisionHistoryLimit: nonNegative }),
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
