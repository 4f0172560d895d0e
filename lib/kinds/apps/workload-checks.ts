import { labelSelectorFromSpec, type LabelSelector } from '../../meta/selectors/label-selector.ts';
import { isRecord, jsonEqual, recordAt, valueAt, type JsonRecord } from '../../meta/json-value.ts';
import type { Check, Report } from '../../server/registry/validation/check.ts';
import { labelSelector } from '../../server/registry/validation/label-selector-checks.ts';
import { podTemplateChecks } from '../pods/pod-template.ts';

const strictSelector = labelSelector();

/** A selector of a workload, read. `undefined` is one that selects nothing, because it is absent. */
export type ReadSelector =
  | { readonly ok: true; readonly selector: LabelSelector | undefined }
  | { readonly ok: false };

export function readSelector(selector: unknown): ReadSelector {
  if (!isRecord(selector)) return { ok: true, selector: undefined };
  try {
    return { ok: true, selector: labelSelectorFromSpec(selector) };
  } catch {
    return { ok: false };
  }
}

export function isEmptySelector({ matchLabels, matchExpressions }: JsonRecord): boolean {
  const labels = isRecord(matchLabels) ? Object.keys(matchLabels).length : 0;
  return labels === 0 && !(Array.isArray(matchExpressions) && matchExpressions.length > 0);
}

/** A map as messages show it: sorted by key, null when there is none. */
export function shownMap(map: unknown): unknown {
  if (!isRecord(map)) return null;
  return Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A label selector as messages show it; this type is printed in its JSON form. */
export function shownSelector(selector: unknown): unknown {
  if (!isRecord(selector)) return null;
  const { matchLabels, matchExpressions } = selector;
  return {
    ...(isRecord(matchLabels) ? { matchLabels: shownMap(matchLabels) } : {}),
    ...(Array.isArray(matchExpressions)
      ? {
          matchExpressions: matchExpressions.map((one: unknown) => ({
            key: valueAt(one, 'key') ?? '',
            operator: valueAt(one, 'operator') ?? '',
            values: valueAt(one, 'values'),
          })),
        }
      : {}),
  };
}

/** The labels of a template have to match the selector. `path` is that of the template. */
export function templateMatches(
  template: unknown,
  selector: LabelSelector | undefined,
  path: string,
  report: Report,
): void {
  const labels = recordAt(template, 'metadata', 'labels');
  if (selector?.matches((labels ?? {}) as Record<string, string>) === true) return;
  const detail = '`selector` does not match template `labels`';
  report.invalid(`${path}.metadata.labels`, shownMap(labels), detail);
}

/** An absent or empty selector, and one that cannot be read. `name` is the word of the message. */
export function selectorIsGiven(name: string): Check {
  return (selector, path, report) => {
    if (!isRecord(selector)) return report.required(path);
    strictSelector(selector, path, report);
    if (!isEmptySelector(selector)) return;
    const detail = `empty selector is invalid for ${name}`;
    report.invalid(path, shownSelector(selector), detail);
  };
}

/**
 * The selector and the template of a workload; the value is the spec.
 * @see pkg/apis/apps/validation/validation.go ValidateDeploymentSpec @ v1.36.3
 */
export function selectorAndTemplate({
  name,
  unreadable,
  template: check,
}: {
  readonly name: string;
  /** The message for a selector that cannot be read. */
  readonly unreadable: string;
  readonly template: Check;
}): Check {
  const given = selectorIsGiven(name);
  return (spec, path, report, old) => {
    if (!isRecord(spec)) return;
    const { selector, template } = spec;
    given(selector, `${path}.selector`, report);
    const read = readSelector(selector);
    if (!read.ok) {
      report.invalid(`${path}.selector`, shownSelector(selector), unreadable);
      return;
    }
    templateMatches(template, read.selector, `${path}.template`, report);
    check(template, `${path}.template`, report, valueAt(old, 'template'));
  };
}

/** Pods of the controller restart always, and have no deadline. `kind` is the word of the message. */
export function alwaysRestarted(kind: string): Check {
  return (template, path, report) => {
    const policy = valueAt(template, 'spec', 'restartPolicy') ?? '';
    if (policy !== 'Always') report.notSupported(`${path}.spec.restartPolicy`, policy, ['Always']);
    if (valueAt(template, 'spec', 'activeDeadlineSeconds') !== undefined) {
      const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
      report.forbidden(`${path}.spec.activeDeadlineSeconds`, detail);
    }
  };
}

/** The template of a replica set, of a deployment, or of a replication controller. */
export function replicaTemplate(kind: string): Check {
  const restarted = alwaysRestarted(kind);
  return (template, path, report, old) => {
    podTemplateChecks(template, path, report, old);
    restarted(template, path, report);
  };
}

/** An update must not change the selector. */
export const fixedSelector: Check = (selector, path, report, old) => {
  if (!report.isUpdate || jsonEqual(selector, old)) return;
  report.invalid(path, shownSelector(selector), 'field is immutable');
};
