import {
  describeCollection,
  type CollectionOptions,
  type CollectionReader,
  type ResourceName,
} from '../../meta/collection-options.ts';
import { parseApiVersion } from '../../meta/resource.ts';

const TEXTS = ['namespace', 'labelSelector', 'fieldSelector', 'shardSelector'] as const;

const API_VERSION = /^[a-z0-9][-a-z0-9.]*(?:\/[a-z0-9][-a-z0-9.]*)?$/;

/** The reader of a record; undefined if it is none. */
export function readerOf(value: unknown): CollectionReader | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found = value as Partial<Record<keyof CollectionReader, unknown>>;
  const { apiVersion, resource, by, metadataOnly } = found;
  if (typeof apiVersion !== 'string' || typeof resource !== 'string') return undefined;
  if (by !== 'source' && by !== 'call') return undefined;
  if (!API_VERSION.test(apiVersion)) return undefined;
  const selection: Partial<Record<(typeof TEXTS)[number], string>> = {};
  for (const name of TEXTS) {
    const text = found[name];
    if (typeof text === 'string') selection[name] = text;
    else if (text !== undefined) return undefined;
  }
  return { by, apiVersion, resource, ...selection, metadataOnly: metadataOnly === true };
}

/** E.g. `deployments.apps in namespace shop`, as a client describes it. */
export function descriptionOf({
  apiVersion,
  resource,
  ...options
}: ResourceName & CollectionOptions): string {
  const { group } = parseApiVersion(apiVersion);
  return describeCollection({ group, resource }, options);
}

/** The fields that identify a collection. */
export function collectionKey(collection: ResourceName & CollectionOptions): string {
  const { apiVersion, resource, metadataOnly = false } = collection;
  const texts = TEXTS.map((name) => collection[name] ?? '');
  return JSON.stringify([apiVersion, resource, ...texts, metadataOnly]);
}
