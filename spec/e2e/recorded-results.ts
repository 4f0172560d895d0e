import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The outcome of one case of the suite; without a failure, it passed. */
export interface CaseResult {
  readonly name: string;
  readonly failure?: string;
}

export interface RecordedResults {
  readonly source: string;
  /** The version of the suite. */
  readonly suite: string;
  readonly cases: readonly CaseResult[];
}

const RECORD_FILE = join(import.meta.dirname, 'recorded-results.json');

interface Need {
  readonly cases: RegExp;
  /** The part of a cluster that is not there. */
  readonly what: string;
}

/** The parts that cases need and that the embedded cluster does not have; the first one that matches is named. */
const NEEDS: readonly Need[] = [
  { cases: /AdmissionPolicy /, what: 'CEL' },
  {
    cases:
      /AdmissionWebhook|ConversionWebhook|CustomResourceFieldSelectors|Aggregator |Kubectl logs/,
    what: 'programs in containers',
  },
  {
    cases: /ClusterTrustBundle|PodCertificate|should mount|ServiceAccountIssuerDiscovery/,
    what: 'files in containers',
  },
  {
    cases:
      /DNS |HostPort |Granular Checks|session affinity|functioning NodePort|Guestbook|Services should (?:be able to change the type|serve)|EndpointSlice should support a Service with multiple/,
    what: 'a network between pods',
  },
  {
    cases: /StatefulSet|Daemon set|ControllerRevision/,
    what: 'StatefulSets and DaemonSets that run',
  },
  { cases: /\[sig-apps\] (?:Job|CronJob) /, what: 'Jobs that run' },
  {
    cases: /EndpointSlices pointing to API Server/,
    what: 'an address of the server beside loopback',
  },
  { cases: /DisruptionController/, what: 'the controller of PodDisruptionBudgets' },
];

/** Cases that such a pattern names and that pass. */
const PASSES = /API operations|when suspended|CRUD Tests|should reject pod creation/;

/** The part of a cluster that a case needs and that is not there. */
export function needOf({ name }: Pick<CaseResult, 'name'>): string | undefined {
  if (PASSES.test(name)) return undefined;
  return NEEDS.find(({ cases }) => cases.test(name))?.what;
}

/** The part of Kubernetes that owns a case, such as `sig-cli`. */
export function areaOf({ name }: Pick<CaseResult, 'name'>): string {
  return /^\[(sig-[a-z-]+)\]/.exec(name)?.[1] ?? 'other';
}

export function readResults(): RecordedResults {
  return JSON.parse(readFileSync(RECORD_FILE, 'utf8')) as RecordedResults;
}

/** Adds the results of a run to the record, in place of those of the same cases. */
export function recordResults(suite: string, cases: readonly CaseResult[]): void {
  const names = new Set(cases.map(({ name }) => name));
  const others = readResults().cases.filter(({ name }) => !names.has(name));
  const all = [...others, ...cases].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const source = 'names and messages of the cases of k8s.io/kubernetes/test/e2e, Apache-2.0';
  const results: RecordedResults = { source, suite, cases: all };
  writeFileSync(RECORD_FILE, `${JSON.stringify(results, undefined, 1)}\n`);
}
