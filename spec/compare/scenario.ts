/** The areas that requests are drawn from, in the order of the table. */
export const AREAS = [
  'discovery',
  'kinds',
  'negotiation',
  'defaulting',
  'validation',
  'update',
  'delete',
  'patch',
  'apply',
  'subresources',
  'list',
  'selectors',
  'watch',
  'namespaces',
  'custom resources',
  'access',
] as const;

export type Area = (typeof AREAS)[number];

/**
 * One request. In its path, its headers and its body these stand for facts of the run: `{ns}` the namespace of the scenario,
 * `{rv:N}`, `{uid:N}`, `{name:N}` and `{continue:N}` the metadata of the answer to step N, which counts from 0.
 */
export interface Step {
  readonly method: string;
  readonly path: string;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent without credentials, unless `headers` has some. */
  readonly anonymous?: boolean;
  /** Asked again until this status comes, for at most ten seconds; for what a server does in the background. */
  readonly until?: number;
  /** Prepares the scenario: its answer is not compared. */
  readonly setup?: boolean;
}

/** Requests that belong together. Their namespace exists before, unless `namespace` is false, and is deleted afterwards. */
export interface Scenario {
  /** Area, seed and number: the same ones give the same requests. */
  readonly id: string;
  readonly area: Area;
  readonly namespace: boolean;
  readonly steps: readonly Step[];
}

/** The comparison of an answer. */
export interface Answer {
  readonly status: number;
  /** Media type, without its parameters other than `as`, `g` and `v`. */
  readonly type: string;
  readonly warnings?: readonly string[];
  /** Normalised: see normalise.ts. */
  readonly body: unknown;
}
