import type { Logger } from '../../../kernel/report/logger.ts';
import {
  failureLine,
  fieldsIn,
  isFields,
  RefusedReview,
  reviewRequest,
  textIn,
  type JsonFields,
} from './review-envelope.ts';

const API_VERSION = 'apiextensions.k8s.io/v1';
const KIND = 'ConversionReview';

type ConvertFunction = (object: never) => unknown;

/** The functions of one version. */
export interface Spoke {
  readonly toHub: ConvertFunction;
  readonly fromHub: ConvertFunction;
}

/** How the objects of one definition are converted. */
export interface Conversions {
  /** The name of the definition, e.g. `sites.example.com`. */
  readonly name: string;
  readonly hub: string;
  /** By API version, without the hub. */
  readonly spokes: ReadonlyMap<string, Spoke>;
}

/** Why an object cannot be converted, in one line. */
class RefusedConversion extends Error {}

/**
 * Converts the objects in `body`, all or none of them. A failure is an answer too: API servers show its message.
 * @throws {RefusedReview} when the body is no review.
 */
export async function conversionAnswer(
  conversions: Conversions,
  body: Buffer,
  logger: Logger,
): Promise<object> {
  const { uid, request } = reviewRequest(body, API_VERSION, KIND);
  const objects = request['objects'];
  if (!Array.isArray(objects)) throw new RefusedReview(400, `the ${KIND} has no list of objects`);
  const target = textIn(request, 'desiredAPIVersion');
  const converted: unknown[] = [];
  try {
    for (const object of objects)
      converted.push(await convertedObject(conversions, object, target));
  } catch (error) {
    if (!(error instanceof RefusedConversion)) throw error;
    logger.error('webhooks: conversion failed', { problem: error.message, error: error.cause });
    const result = { status: 'Failure', message: error.message };
    return { apiVersion: API_VERSION, kind: KIND, response: { uid, convertedObjects: [], result } };
  }
  const result = { status: 'Success' };
  const response = { uid, convertedObjects: converted, result };
  return { apiVersion: API_VERSION, kind: KIND, response };
}

async function convertedObject(
  conversions: Conversions,
  object: unknown,
  target: string,
): Promise<unknown> {
  if (!isFields(object)) throw new RefusedConversion(`${conversions.name}: an item is no object`);
  const { hub } = conversions;
  const version = textIn(object, 'apiVersion');
  if (version === target) return object;
  const inHub =
    version === hub
      ? object
      : await step(conversions, object, { from: version, to: hub, of: version, name: 'toHub' });
  if (target === hub) return inHub;
  return await step(conversions, inHub, { from: hub, to: target, of: target, name: 'fromHub' });
}

interface Step {
  readonly from: string;
  readonly to: string;
  /** The version whose function is called. */
  readonly of: string;
  readonly name: keyof Spoke;
}

async function step(
  { name, hub, spokes }: Conversions,
  object: JsonFields,
  { from, to, of, name: direction }: Step,
): Promise<JsonFields> {
  const spoke = spokes.get(of);
  if (spoke === undefined) {
    const known = [hub, ...spokes.keys()].join(', ');
    throw new RefusedConversion(
      `${name}: there is no conversion for ${of || 'an object without apiVersion'}, only for ${known}; declare one with convert(${JSON.stringify(of)}, …)`,
    );
  }
  const before = identityOf(object);
  const subject = `${name} ${before.namespace === '' ? '' : `${before.namespace}/`}${before.name}: ${direction} of ${of}`;
  // The function may change what it gets, and API servers take other metadata from the object that they sent.
  const { kind, metadata } = structuredClone({
    kind: object['kind'],
    metadata: object['metadata'],
  });
  let result: unknown;
  try {
    result = await spoke[direction](object as never);
  } catch (error) {
    const text = `${subject} failed for an object of ${from}: ${failureLine(error)}`;
    throw new RefusedConversion(text, { cause: error });
  }
  if (!isFields(result)) {
    const given = result === null ? 'null' : Array.isArray(result) ? 'a list' : typeof result;
    throw new RefusedConversion(
      `${subject} returned ${given} for an object; return the object in ${to}: a conversion must not drop objects`,
    );
  }
  checkKept(subject, before, result, kind);
  const given = fieldsIn(result, 'metadata');
  return { ...result, apiVersion: to, kind, metadata: given ?? metadata };
}

interface Identity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

const IDENTITY = ['name', 'namespace', 'uid'] as const;

function identityOf(object: JsonFields): Identity {
  const metadata = fieldsIn(object, 'metadata');
  return {
    name: textIn(metadata, 'name'),
    namespace: textIn(metadata, 'namespace'),
    uid: textIn(metadata, 'uid'),
  };
}

/** @throws {RefusedConversion} when the object is another one than before. */
function checkKept(subject: string, before: Identity, result: JsonFields, kind: unknown): void {
  const given = result['kind'];
  if (given !== undefined && given !== kind) {
    throw new RefusedConversion(
      `${subject} changed kind from ${JSON.stringify(kind)} to ${JSON.stringify(given)}; leave it out: all versions have one kind`,
    );
  }
  if (result['metadata'] === undefined) return;
  const after = identityOf(result);
  for (const field of IDENTITY) {
    if (after[field] === before[field]) continue;
    const change =
      after[field] === ''
        ? `removed metadata.${field} ${JSON.stringify(before[field])}`
        : `changed metadata.${field} from ${JSON.stringify(before[field])} to ${JSON.stringify(after[field])}`;
    throw new RefusedConversion(
      `${subject} ${change}; return the metadata of the object: a conversion may change labels and annotations only`,
    );
  }
}
