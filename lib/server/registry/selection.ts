import { errorMessage } from '../../kernel/failure/errors.ts';
import { badRequest, withoutReason } from '../../meta/failure/failures.ts';
import { parseFieldSelector, type FieldSelector } from '../../meta/selectors/field-selector.ts';
import { parseLabelSelector, type LabelSelector } from '../../meta/selectors/label-selector.ts';
import { parseShardSelector, type ShardSelector } from '../../meta/selectors/shard-selector.ts';
import type {
  AttributesFunc,
  SelectionPredicate,
} from '../storage/contract/selection-predicate.ts';
import type { KindDefinition } from './contract/kind-definition.ts';
import { pathSegment } from './rules/name-forms.ts';
import { fieldSelectorFailure, labelSelectorFailure } from './rules/selector-failures.ts';
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
  {
    labelSelector = '',
    fieldSelector = '',
    shardSelector = '',
  }: Pick<ListOptions, 'labelSelector' | 'fieldSelector' | 'shardSelector'>,
): Selection {
  if (labelSelector === '' && fieldSelector === '' && shardSelector === '') return EVERYTHING;
  const labels = parsedLabels(labelSelector);
  const fields = parsedFields(kind, fieldSelector);
  checkFields(kind, fields);
  return {
    predicate: { labels, fields, shards: parsedShards(shardSelector), attributesOf },
    namespace: keyPart(fields, 'metadata.namespace'),
    name: keyPart(fields, 'metadata.name'),
  };
}

function parsedLabels(text: string): LabelSelector {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw badRequest(labelSelectorFailure(text) ?? errorMessage(error), error);
  }
}

function parsedShards(text: string): ShardSelector | undefined {
  if (text === '') return undefined;
  try {
    return parseShardSelector(text);
  } catch (error) {
    // kube-apiserver returns a plain error.
    const { cause } = error as Error;
    throw withoutReason(`invalid shard selector: ${errorMessage(cause ?? error)}`);
  }
}

function parsedFields(kind: KindDefinition, text: string): FieldSelector {
  try {
    return parseFieldSelector(text);
  } catch (error) {
    const failure = fieldSelectorFailure(text);
    if (failure === undefined) throw badRequest(errorMessage(error), error);
    if ('field' in failure) throw unknownField(kind, failure.field);
    throw badRequest(failure.message, error);
  }
}

function checkFields(kind: KindDefinition, fields: FieldSelector): void {
  const { describe, selectableFields, declared } = kind;
  for (const { field } of fields.requirements) {
    const known =
      field === 'metadata.name' ||
      (field === 'metadata.namespace' && describe.namespaced) ||
      // Those of all versions can be read, and those of the version selected by.
      (declared?.selectableFields.includes(field) ?? Object.hasOwn(selectableFields, field));
    if (!known) throw unknownField(kind, field);
  }
}

/** A kind with fields of its own has words of its own. */
function unknownField({ selectableFields, refuseField }: KindDefinition, field: string): Error {
  if (refuseField !== undefined) return badRequest(refuseField(field));
  if (Object.keys(selectableFields).length > 0) {
    return badRequest(`field label not supported: ${field}`);
  }
  const names = '"metadata.name", "metadata.namespace"';
  return badRequest(`${JSON.stringify(field)} is not a known field selector: only ${names}`);
}

/** A required value that can be part of a storage key. Other values are left to the predicate, which no object matches. */
function keyPart(fields: FieldSelector, field: string): string | undefined {
  const value = fields.requiredValue(field);
  if (value === undefined || value === '' || pathSegment(value).length > 0) {
    return undefined;
  }
  return value;
}
