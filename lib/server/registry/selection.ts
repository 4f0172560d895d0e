import { errorMessage } from '../../kernel/errors.ts';
import { badRequest } from '../../meta/failures.ts';
import { parseFieldSelector, type FieldSelector } from '../../meta/field-selector.ts';
import { parseLabelSelector } from '../../meta/label-selector.ts';
import type {
  AttributesFunc,
  SelectionPredicate,
} from '../storage/contract/selection-predicate.ts';
import type { KindDefinition } from './contract/kind-definition.ts';
import { pathSegmentProblem } from './rules/name-validation.ts';
import type { ListOptions } from './contract/rest-storage.ts';

/** The part of a collection that a list or watch selects. */
export interface Selection {
  readonly predicate: SelectionPredicate | undefined;
  /** The only namespace that can match, if the field selector requires one. */
  readonly namespace: string | undefined;
  /** The only name that can match, if the field selector requires one. */
  readonly name: string | undefined;
}

const EVERYTHING: Selection = { predicate: undefined, namespace: undefined, name: undefined };

/**
 * Parses the selectors of a request.
 * @throws {ApiError} 400 for a selector that cannot be parsed, and for a field that the kind does not support.
 */
export function selectionOf(
  kind: KindDefinition,
  attributesOf: AttributesFunc,
  { labelSelector = '', fieldSelector = '' }: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
): Selection {
  if (labelSelector === '' && fieldSelector === '') return EVERYTHING;
  const labels = parsed(parseLabelSelector, labelSelector);
  const fields = parsed(parseFieldSelector, fieldSelector);
  checkFields(kind, fields);
  return {
    predicate: { labels, fields, attributesOf },
    namespace: keyPart(fields, 'metadata.namespace'),
    name: keyPart(fields, 'metadata.name'),
  };
}

function parsed<R>(parse: (text: string) => R, text: string): R {
  try {
    return parse(text);
  } catch (error) {
    throw badRequest(errorMessage(error), error);
  }
}

function checkFields({ describe, selectableFields }: KindDefinition, fields: FieldSelector): void {
  for (const { field } of fields.requirements) {
    const known =
      field === 'metadata.name' ||
      (field === 'metadata.namespace' && describe.namespaced) ||
      Object.hasOwn(selectableFields, field);
    if (!known) throw unknownField(field, describe.namespaced, Object.keys(selectableFields));
  }
}

function unknownField(field: string, namespaced: boolean, own: readonly string[]): Error {
  const meta = namespaced ? ['metadata.name', 'metadata.namespace'] : ['metadata.name'];
  const names = [...meta, ...own].map((one) => JSON.stringify(one)).join(', ');
  return badRequest(`${JSON.stringify(field)} is not a known field selector: only ${names}`);
}

/** A required value that can be part of a storage key. Other values are left to the predicate, which no object matches. */
function keyPart(fields: FieldSelector, field: string): string | undefined {
  const value = fields.requiredValue(field);
  if (value === undefined || value === '' || pathSegmentProblem(value) !== undefined) {
    return undefined;
  }
  return value;
}
