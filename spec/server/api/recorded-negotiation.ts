import { readFileSync } from 'node:fs';

/** Paths by the names that the rows use. `Wire` is a custom resource of the group wires.example.com. */
export const TARGETS = {
  object: '/api/v1/namespaces/{ns}/configmaps/one',
  list: '/api/v1/namespaces/{ns}/configmaps',
  watch:
    '/api/v1/namespaces/{ns}/configmaps?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Done',
  missing: '/api/v1/namespaces/{ns}/configmaps/missing',
  custom: '/apis/wires.example.com/v1/namespaces/{ns}/wires/one',
  customWatch: '/apis/wires.example.com/v1/namespaces/{ns}/wires?watch=1&timeoutSeconds=1',
  apis: '/apis',
  group: '/apis/apps',
  version: '/version',
} as const;

export type TargetName = keyof typeof TARGETS;

/** Status, media type without `application/`, and the kind or the message; bodies in YAML and protobuf are left out. */
export type RecordedAnswer = readonly [number, string, string];

/** The status, and the message of a failure. */
export type Outcome = readonly [number] | readonly [number, string];

/** Answers to requests that differ in one header or in the body. */
export interface RecordedNegotiation {
  /** Of a GET, by the Accept header. */
  readonly accepts: readonly (readonly [
    string,
    Readonly<Partial<Record<TargetName, RecordedAnswer>>>,
  ])[];
  /** The status of a POST by the Content-Type of a well-formed ConfigMap in JSON. */
  readonly contentTypes: readonly (readonly [string, number])[];
  /** Bodies of a POST: media type, body, the outcome for a ConfigMap and for a Wire. */
  readonly bodies: readonly (readonly [string, string, Outcome, Outcome])[];
  /** Bodies of a DELETE of a ConfigMap that does not exist: media type, body, outcome. */
  readonly deleteBodies: readonly (readonly [string, string, Outcome])[];
}

/** The answers of kube-apiserver 1.36.3, recorded on 2026-11-22. */
export const recordedNegotiation = JSON.parse(
  readFileSync(new URL('recorded-negotiation.json', import.meta.url), 'utf8'),
) as RecordedNegotiation;
