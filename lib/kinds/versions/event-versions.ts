import type { UnstructuredObject } from '../../meta/object.ts';
import type { SelectableFields } from '../../server/registry/contract/kind-definition.ts';
import type { VersionConversion } from '../../server/registry/contract/version-conversion.ts';
import { textAt, type JsonRecord } from '../../meta/json-value.ts';

/** Fields that both versions have under one name. */
const SHARED = ['reason', 'type', 'series', 'action', 'related'] as const;

function shared(event: UnstructuredObject): JsonRecord {
  const { kind, apiVersion, metadata } = event;
  const fields: JsonRecord = { kind, apiVersion, metadata };
  for (const name of SHARED) if (event[name] !== undefined) fields[name] = event[name];
  return fields;
}

function given(fields: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}

/**
 * Events of `events.k8s.io/v1` over those of the core group.
 * @see pkg/apis/events/v1/conversion.go @ 24a394e
 */
export const eventVersions: VersionConversion = {
  toStored: (event) => ({
    ...shared(event),
    ...given({ message: event['note'], count: event['deprecatedCount'] }),
    involvedObject: event['regarding'] ?? {},
    source: event['deprecatedSource'] ?? {},
    firstTimestamp: event['deprecatedFirstTimestamp'] ?? null,
    lastTimestamp: event['deprecatedLastTimestamp'] ?? null,
    eventTime: event['eventTime'] ?? null,
    reportingComponent: event['reportingController'] ?? '',
    reportingInstance: event['reportingInstance'] ?? '',
  }),
  fromStored: (event) => ({
    ...shared(event),
    ...given({
      note: event['message'],
      deprecatedCount: event['count'],
      reportingController: event['reportingComponent'],
      reportingInstance: event['reportingInstance'],
    }),
    eventTime: event['eventTime'] ?? null,
    regarding: event['involvedObject'] ?? {},
    deprecatedSource: event['source'] ?? {},
    deprecatedFirstTimestamp: event['firstTimestamp'] ?? null,
    deprecatedLastTimestamp: event['lastTimestamp'] ?? null,
  }),
};

const REGARDING = [
  'kind',
  'namespace',
  'name',
  'uid',
  'apiVersion',
  'resourceVersion',
  'fieldPath',
] as const;

/** The field selectors of `events.k8s.io/v1`; they read the stored form. */
export const eventFields: SelectableFields = {
  ...Object.fromEntries(
    REGARDING.map((field) => [
      `regarding.${field}`,
      (event: object): string => textAt(event, 'involvedObject', field),
    ]),
  ),
  reason: (event) => textAt(event, 'reason'),
  reportingController: (event) => textAt(event, 'reportingComponent'),
  type: (event) => textAt(event, 'type'),
};
