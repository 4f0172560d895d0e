import type { KubernetesObject } from '../../meta/object.ts';
import type { EventEntry } from './event-entry.ts';

/** The reporter. */
export interface EventReporter {
  readonly controller: string;
  readonly instance: string;
}

/** How one API writes events. */
export interface EventApi {
  readonly apiVersion: EventApiVersion;
  create(entry: EventEntry, reporter: EventReporter): KubernetesObject;
  /** A merge patch with what changes when the event is seen again. */
  patch(entry: EventEntry): object;
}

export type EventApiVersion = 'events.k8s.io/v1' | 'v1';

/** With series. */
export const eventsApi: EventApi = {
  apiVersion: 'events.k8s.io/v1',
  create: (entry, { controller, instance }) => ({
    ...common(entry, 'events.k8s.io/v1'),
    eventTime: microTime(entry.firstMs),
    reportingController: controller,
    reportingInstance: instance,
    regarding: entry.fact.regarding,
    note: entry.note,
    ...(entry.count > 1 ? { series: seriesOf(entry) } : {}),
  }),
  patch: (entry) => ({ series: seriesOf(entry) }),
};

/** With counts. */
export const coreApi: EventApi = {
  apiVersion: 'v1',
  create: (entry, { controller, instance }) => ({
    ...common(entry, 'v1'),
    ...countOf(entry),
    firstTimestamp: time(entry.firstMs),
    source: { component: controller, host: instance },
    reportingComponent: controller,
    reportingInstance: instance,
    involvedObject: entry.fact.regarding,
  }),
  patch: countOf,
};

function common({ name, namespace, fact }: EventEntry, apiVersion: string): KubernetesObject {
  const { type, reason, action, related } = fact;
  const fields = { type, reason, action, ...(related === undefined ? {} : { related }) };
  return { apiVersion, kind: 'Event', metadata: { name, namespace }, ...fields };
}

function seriesOf({ count, lastMs }: EventEntry): object {
  return { count, lastObservedTime: microTime(lastMs) };
}

function countOf({ count, lastMs, note }: EventEntry): object {
  return { count, lastTimestamp: time(lastMs), message: note };
}

/** The server reads exactly six digits. */
function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}

function time(wallMs: number): string {
  return new Date(wallMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
