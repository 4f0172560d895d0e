import { randomUuid } from '../../../kernel/time/random.ts';
import { deriveAbort } from '../../../kernel/time/abort.ts';
import { isListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { withoutReason, type FieldCause } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { clientConfigOf } from '../../webhooks/client-config.ts';
import type { WebhookCaller, WebhookClient } from '../../webhooks/webhook-caller.ts';
import {
  recordAt,
  textAt,
  textsAt,
  isRecord,
  valueAt,
  jsonEqual,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { fieldInvalid } from '../../registry/rules/field-causes.ts';
import { qualifiedName } from '../../registry/rules/name-forms.ts';
import { validateLabels } from '../../registry/rules/object-validation.ts';

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

/** The part of the identity of an object that a webhook has changed; undefined for none. */
function changedIdentity(before: UnstructuredObject, converted: JsonRecord): string | undefined {
  for (const [field, name] of IDENTITY) {
    const was = textAt(before, 'metadata', field);
    const is = textAt(converted, 'metadata', field);
    if (was !== is) return `must have the same ${name}: ${was} != ${is}`;
  }
  return undefined;
}

/**
 * The metadata after a conversion: those before it, with the labels and annotations of the converted object; or why they are wrong.
 * @see apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go restoreObjectMeta @ v0.36.3
 */
function convertedMetadata(before: UnstructuredObject, converted: JsonRecord): JsonRecord | string {
  const given = converted['metadata'];
  if (given === undefined) return 'missing metadata in converted object';
  if (!isRecord(given)) return `invalid metadata of type ${goType(given)} in converted object`;
  const metadata: JsonRecord = { ...before.metadata };
  for (const field of ['labels', 'annotations'] as const) {
    const texts = given[field];
    if (texts === undefined || texts === null) {
      delete metadata[field];
      continue;
    }
    const fault = textsFault(field, texts, metadata[field]);
    if (fault !== undefined) return fault;
    metadata[field] = texts;
  }
  return metadata;
}

function textsFault(
  field: 'labels' | 'annotations',
  texts: unknown,
  before: unknown,
): string | undefined {
  if (!isRecord(texts))
    return `invalid metadata.${field} of type ${goType(texts)} in converted object`;
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value === 'string') continue;
    return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
  }
  if (jsonEqual(texts, before ?? {})) return undefined;
  const labels = texts as Record<string, string>;
  const causes =
    field === 'labels' ? validateLabels('metadata.labels', labels) : annotationCauses(labels);
  if (causes.length === 0) return undefined;
  const found = causes.map((cause) => `${cause.field}: ${cause.message}`);
  return found.length === 1 ? found[0] : `[${found.join(', ')}]`;
}

function annotationCauses(annotations: Record<string, string>): FieldCause[] {
  return Object.keys(annotations).flatMap((key) =>
    qualifiedName(key.toLowerCase()).map((fault) =>
      fieldInvalid('metadata.annotation', key, fault),
    ),
  );
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

const GROUP = 'apiextensions.k8s.io';
const KIND = 'ConversionReview';

/** The version of reviews in which a webhook is asked; undefined if it knows none that API servers know. */
function reviewVersion(versions: readonly string[]): 'v1' | 'v1beta1' | undefined {
  return versions.find((one) => one === 'v1' || one === 'v1beta1');
}

interface ReviewRequest {
  readonly version: 'v1' | 'v1beta1';
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly unknown[];
}

/** The question; it has an empty response, as that of kube-apiserver. */
function reviewOf({ version, ...request }: ReviewRequest): JsonRecord {
  return {
    kind: KIND,
    apiVersion: `${GROUP}/${version}`,
    request,
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/**
 * The converted objects of an answer, or why there are none.
 * @see apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go getConvertedObjectsFromResponse @ v0.36.3
 */
function convertedObjects(
  answer: JsonRecord,
  { version, uid }: Pick<ReviewRequest, 'version' | 'uid'>,
): readonly unknown[] | string {
  const wrongType = typeFault(answer, version);
  if (wrongType !== undefined) return wrongType;
  const response = recordAt(answer, 'response');
  if (response === undefined) return 'no response provided';
  const answered = textAt(response, 'uid');
  if (version === 'v1' && answered !== uid) {
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`;
  }
  const status = textAt(response, 'result', 'status');
  if (status !== 'Success') {
    const message = textAt(response, 'result', 'message');
    return message || `response.result.status was '${status}', not 'Success'`;
  }
  const objects = valueAt(response, 'convertedObjects');
  return Array.isArray(objects) ? objects : [];
}

function typeFault(answer: JsonRecord, version: string): string | undefined {
  const kind = textAt(answer, 'kind');
  const apiVersion = textAt(answer, 'apiVersion');
  const known = apiVersion === `${GROUP}/v1` || apiVersion === `${GROUP}/v1beta1`;
  if (kind !== KIND || !known) {
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  }
  const given = apiVersion.slice(GROUP.length + 1);
  if (given === version) return undefined;
  return `converting (${given}.${KIND}) to (${version}.${KIND}): unknown conversion`;
}

/** Why a converted object cannot be read at all. */
function unreadableObject(value: unknown): string | undefined {
  if (!isRecord(value)) {
    const type = Array.isArray(value)
      ? 'array'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
    return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  }
  if (textAt(value, 'kind') !== '') return undefined;
  return `Object 'Kind' is missing in '${JSON.stringify(value)}'`;
}

const TIMEOUT_MS = 30_000;

/** Objects in one call; a longer list takes several calls, so that requests and answers stay bounded. */
const OBJECTS_AT_ONCE = 500;
/** Calls for one list that run at the same time. */
const CALLS_AT_ONCE = 4;

/** Changes objects of one kind into another version. */
export interface ObjectConverter {
  /**
   * The objects in `apiVersion`, in their order. Those that have it are not asked for.
   * @throws {ApiError} 500 when they cannot be converted.
   */
  convert(
    objects: readonly UnstructuredObject[],
    apiVersion: string,
    signal?: AbortSignal,
  ): Promise<UnstructuredObject[]>;
  close(): void;
}

/**
 * Converts custom objects by the webhook of their definition.
 * @see apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go @ v0.36.3
 */
export class WebhookConverter implements ObjectConverter {
  readonly #runtime: Runtime;
  readonly #client: WebhookClient;
  readonly #version: 'v1' | 'v1beta1' | undefined;

  constructor(definition: unknown, caller: Pick<WebhookCaller, 'open'>, runtime: Runtime) {
    const webhook = recordAt(definition, 'spec', 'conversion', 'webhook');
    this.#runtime = runtime;
    this.#client = caller.open(clientConfigOf(recordAt(webhook, 'clientConfig')));
    this.#version = reviewVersion(textsAt(webhook, 'conversionReviewVersions'));
  }

  async convert(
    objects: readonly UnstructuredObject[],
    apiVersion: string,
    signal?: AbortSignal,
  ): Promise<UnstructuredObject[]> {
    const asked = objects.filter((object) => object.apiVersion !== apiVersion);
    if (asked.length === 0) return [...objects];
    const answers = await this.#askForAll(asked, apiVersion, signal);
    let next = 0;
    return objects.map((object) =>
      object.apiVersion === apiVersion ? object : (answers[next++] ?? object),
    );
  }

  close(): void {
    this.#client.close();
  }

  /** Several calls at once; the first one that fails ends the others. */
  async #askForAll(
    objects: readonly UnstructuredObject[],
    apiVersion: string,
    signal: AbortSignal | undefined,
  ): Promise<UnstructuredObject[]> {
    const calls = Math.ceil(objects.length / OBJECTS_AT_ONCE);
    if (calls === 1) return await this.#ask(objects, apiVersion, signal);
    const abort = deriveAbort(signal);
    const answers: UnstructuredObject[][] = [];
    let next = 0;
    const takeTurns = async (): Promise<void> => {
      for (let turn = next++; turn < calls; turn = next++) {
        const from = turn * OBJECTS_AT_ONCE;
        const some = objects.slice(from, from + OBJECTS_AT_ONCE);
        answers[turn] = await this.#ask(some, apiVersion, abort.signal);
      }
    };
    const turns = Array.from({ length: Math.min(CALLS_AT_ONCE, calls) }, takeTurns);
    try {
      await Promise.all(turns);
    } catch (error) {
      next = calls;
      abort.abort(error);
      throw error;
    } finally {
      abort.destroy();
    }
    return answers.flat();
  }

  async #ask(
    objects: readonly UnstructuredObject[],
    apiVersion: string,
    signal: AbortSignal | undefined,
  ): Promise<UnstructuredObject[]> {
    const subject = subjectOf(objects[0] as UnstructuredObject);
    const version = this.#version;
    if (version === undefined) throw withoutReason('no supported conversion review versions');
    const uid = randomUuid(this.#runtime);
    const request = { version, uid, desiredAPIVersion: apiVersion, objects: objects.map(sentForm) };
    let answer: JsonRecord;
    try {
      answer = await this.#client.post(reviewOf(request), { timeoutMs: TIMEOUT_MS, signal });
    } catch (error) {
      if (!isListwatchError(error, 'WEBHOOK_FAILED')) throw error;
      throw withoutReason(`${subject} failed: ${error.message}`);
    }
    const converted = convertedObjects(answer, request);
    if (typeof converted === 'string') throw withoutReason(`${subject} failed: ${converted}`);
    if (converted.length !== objects.length) {
      throw withoutReason(
        `${subject} returned ${converted.length} objects, expected ${objects.length}`,
      );
    }
    return objects.map((object, index) => checked(object, converted[index], apiVersion, index));
  }
}

function subjectOf({ apiVersion, kind }: UnstructuredObject): string {
  return `conversion webhook for ${apiVersion}, Kind=${kind}`;
}

/** Without the resource version, which is no part of a stored object. */
function sentForm(object: UnstructuredObject): UnstructuredObject {
  if (object.metadata?.resourceVersion === undefined) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object that a webhook has made, with the metadata that it may not change. @throws {ApiError} 500. */
function checked(
  before: UnstructuredObject,
  given: unknown,
  apiVersion: string,
  index: number,
): UnstructuredObject {
  const unreadable = unreadableObject(given);
  if (unreadable !== undefined) throw withoutReason(unreadable);
  const converted = given as JsonRecord;
  const subject = subjectOf(before);
  const got = textAt(converted, 'apiVersion');
  const at = `${subject} returned invalid object at index ${index}`;
  if (got !== apiVersion) {
    throw withoutReason(`${at}: invalid groupVersion (expected ${apiVersion}, received ${got})`);
  }
  const kind = textAt(converted, 'kind');
  if (kind !== before.kind) {
    throw withoutReason(`${at}: invalid kind (expected ${before.kind}, received ${kind})`);
  }
  const changed = changedIdentity(before, converted);
  if (changed !== undefined) throw withoutReason(`${subject} returned invalid object: ${changed}`);
  const metadata = convertedMetadata(before, converted);
  if (typeof metadata === 'string') {
    throw withoutReason(`${subject} returned invalid metadata: ${metadata}`);
  }
  return { ...converted, apiVersion, kind, metadata };
}
