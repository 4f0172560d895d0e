import { fieldInvalid } from '../../server/registry/rules/field-causes.ts';
import { textAt } from '../../server/registry/rules/json-value.ts';
import type { Check } from '../../server/registry/validation/check.ts';
import { all, fields, requiredFor } from '../../server/registry/validation/combine.ts';
import { pathSegment } from '../../server/registry/validation/formats.ts';
import { format } from '../../server/registry/validation/values.ts';

/** The problem of the apiVersion of a reference; undefined when it is valid. */
export function apiVersionProblem(
  apiVersion: string,
  { needsGroup }: { readonly needsGroup: boolean },
): string | undefined {
  const slashes = apiVersion.split('/').length - 1;
  if (slashes > 1) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = slashes === 1 && !apiVersion.startsWith('/');
  return needsGroup && !hasGroup ? 'apiVersion must specify API group' : undefined;
}

const segment = requiredFor('', format(pathSegment));

/** A reference to an object of any kind. `rule` says what its apiVersion has to have; undefined for one that is not checked. */
export function objectReference(rule: { readonly needsGroup: boolean } | undefined): Check {
  return all(fields({ kind: segment, name: segment }), (reference, path, report) => {
    if (rule === undefined) return;
    const apiVersion = textAt(reference, 'apiVersion');
    const problem = apiVersionProblem(apiVersion, rule);
    if (problem !== undefined) report.add(fieldInvalid(`${path}.apiVersion`, apiVersion, problem));
  });
}
