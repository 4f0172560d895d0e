import { randomUuid } from '../../../kernel/time/random.ts';
import { isListwatchError } from '../../../kernel/failure/errors.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { withoutReason } from '../../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { clientConfigOf } from '../../webhooks/client-config.ts';
import type { WebhookCaller, WebhookClient } from '../../webhooks/webhook-caller.ts';
import { recordAt, textAt, textsAt, type JsonRecord } from '../../../meta/json-value.ts';
import { changedIdentity, convertedMetadata } from './converted-metadata.ts';
import {
  convertedObjects,
  reviewOf,
  reviewVersion,
  unreadableObject,
} from './conversion-review.ts';

const TIMEOUT_MS = 30_000;

/** Objects in one call; a longer list takes several calls, so that requests and answers stay bounded. */
const OBJECTS_AT_ONCE = 500;

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

  constructor(definition: unknown, caller: WebhookCaller, runtime: Runtime) {
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
    const result: UnstructuredObject[] = [];
    for (let from = 0; from < objects.length; from += OBJECTS_AT_ONCE) {
      const some = objects.slice(from, from + OBJECTS_AT_ONCE);
      const asked = some.filter((object) => object.apiVersion !== apiVersion);
      const answers = asked.length === 0 ? [] : await this.#ask(asked, apiVersion, signal);
      let next = 0;
      for (const object of some) {
        result.push(object.apiVersion === apiVersion ? object : (answers[next++] ?? object));
      }
    }
    return result;
  }

  close(): void {
    this.#client.close();
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
