import { badRequest } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import type { RequestContext, WriteOptions } from '../contract/rest-storage.ts';
import { strictTexts } from '../rules/body-faults.ts';
import {
  isRecord,
  jsonEqual,
  recordsAt,
  textAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import type { StoredObject } from '../../storage/contract/stored-object.ts';
import { toMutableObject, type MutableObject } from '../rules/mutable-object.ts';
import { DecodeProblems, TypedDecodeError } from '../typed/decode-problems.ts';
import type { StoreParts } from './store-parts.ts';

/**
 * The object in a request in the stored form, read as the type of the kind: unknown fields are left out, with a warning or an error.
 * @param stored The object that is updated.
 * @throws {ApiError} 400, or what the options say, for an object that cannot be read as its kind.
 */
export function typedBody(
  parts: Pick<StoreParts, 'kind'>,
  context: RequestContext,
  body: UnstructuredObject,
  options: WriteOptions,
  stored?: StoredObject<UnstructuredObject>,
): MutableObject {
  const object =
    options.known === undefined || stored === undefined
      ? readBody(parts, context, body, options)
      : readOthers(parts, context, body, { options, stored });
  dropRepeatedOwners(object, context, options.refuseBody !== undefined);
  const { conversion } = parts.kind;
  if (conversion === undefined) return object;
  return toMutableObject(conversion.toStored(object));
}

interface StoredBody {
  readonly options: WriteOptions;
  readonly stored: StoredObject<UnstructuredObject>;
}

/** As `readBody`, but for a `spec` that is the one of the stored object itself: it was read before it was stored. */
function readOthers(
  parts: Pick<StoreParts, 'kind'>,
  context: RequestContext,
  body: UnstructuredObject,
  { options, stored }: StoredBody,
): MutableObject {
  const { spec, ...others } = body;
  if (!isRecord(spec) || spec !== stored.object['spec']) {
    return readBody(parts, context, body, options);
  }
  const object = readBody(parts, context, others, options);
  object['spec'] = spec;
  return object;
}

const AFTER_ADMISSION = ' after mutating admission happens';

/** Leaves out owners that are equal to an earlier one, with a warning, as API servers do. @param isChanged Whether admission came before. */
export function dropRepeatedOwners(
  { metadata }: MutableObject,
  { warn }: RequestContext,
  isChanged: boolean,
): void {
  const owners = recordsAt(metadata, 'ownerReferences');
  if (owners.length < 2) return;
  const kept: JsonRecord[] = [];
  const repeated: string[] = [];
  for (const owner of owners) {
    if (kept.some((one) => jsonEqual(one, owner))) repeated.push(textAt(owner, 'uid'));
    else kept.push(owner);
  }
  if (repeated.length === 0) return;
  metadata['ownerReferences'] = kept;
  warn(
    `.metadata.ownerReferences contains duplicate entries${isChanged ? AFTER_ADMISSION : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
}

function readBody(
  { kind }: Pick<StoreParts, 'kind'>,
  { warn }: RequestContext,
  body: UnstructuredObject,
  { fieldValidation = 'Warn', refuseBody, bodyFaults, configuration, isDerived }: WriteOptions,
): MutableObject {
  if (!isRecord(body)) throw badRequest('the body must be a JSON object');
  const { kind: name, version } = kind.describe;
  const refuse =
    refuseBody ??
    ((detail: string): Error =>
      badRequest(`${name} in version "${version}" cannot be handled as a ${name}: ${detail}`));
  const strict = (unknownFields: readonly string[]): void => {
    if (fieldValidation === 'Ignore') return;
    const unknown = isDerived === true ? [] : unknownFields;
    const texts = strictTexts(unknown, bodyFaults?.(), fieldValidation === 'Strict');
    if (texts.length > 0 && fieldValidation === 'Strict') {
      throw refuse(`strict decoding error: ${texts.join(', ')}`, body);
    }
    for (const text of texts) warn(text);
  };
  if (kind.type === undefined) {
    strict([]);
    return toMutableObject(body);
  }
  const problems = new DecodeProblems(bodyFaults?.()?.literals);
  let object: MutableObject;
  try {
    object = kind.type.read(body, problems, configuration) as MutableObject;
    problems.end();
  } catch (error) {
    if (error instanceof TypedDecodeError) throw refuse(error.message, body);
    throw error;
  }
  strict(problems.unknownFields);
  return object;
}
