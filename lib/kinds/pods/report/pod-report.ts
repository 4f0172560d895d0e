import type { FieldCause } from '../../../meta/failure/failures.ts';
import {
  isRecord,
  recordAt,
  recordsAt,
  textAt,
  valueAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { Report, type Check } from '../../../server/registry/validation/check.ts';

/** The lists of containers in the order in which most rules visit them. */
export const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

export interface PodContent {
  /** The path of the spec. */
  readonly path: string;
  readonly spec: JsonRecord;
  /** The stored spec, at an update. */
  readonly oldSpec: JsonRecord | undefined;
  /** Of a pod; a template has none that counts here. */
  readonly metadata: JsonRecord | undefined;
}

/** The report on a spec of pods: what rules of one part need to know of the others. */
export class PodReport extends Report {
  override readonly causes: FieldCause[];
  readonly content: PodContent;
  readonly hostUsers: boolean;
  readonly claimNames: ReadonlySet<string>;
  /** The volumes without faults, by name. */
  readonly volumes: Map<string, JsonRecord> = new Map();

  /** Adds to the causes of `whole`. */
  constructor(whole: Report, content: PodContent) {
    super(whole.object, whole.existing, whole.policy);
    this.causes = whole.causes;
    this.content = content;
    this.hostUsers = content.spec['hostUsers'] !== false;
    const claims = recordsAt(content.spec, 'resourceClaims').map((claim) => textAt(claim, 'name'));
    this.claimNames = new Set(claims.filter((name) => name !== ''));
  }

  /** Whether a pod, not a template. */
  get isPod(): boolean {
    return this.content.metadata !== undefined;
  }

  get spec(): JsonRecord {
    return this.content.spec;
  }

  get os(): string | undefined {
    const os = recordAt(this.spec, 'os');
    return os === undefined ? undefined : textAt(os, 'name');
  }

  get gracePeriod(): number | undefined {
    const seconds = this.spec['terminationGracePeriodSeconds'];
    return typeof seconds === 'number' ? seconds : undefined;
  }

  get name(): string {
    return textAt(this.content.metadata, 'name');
  }

  get isMirror(): boolean {
    return valueAt(this.content.metadata, 'annotations', MIRROR_ANNOTATION) !== undefined;
  }

  /** Calls with each container of all lists and its path. */
  visitContainers(visit: (container: JsonRecord, path: string) => void): void {
    visitContainers(this.spec, this.content.path, visit);
  }
}

export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Calls with each container of a spec and its path. */
export function visitContainers(
  spec: JsonRecord,
  path: string,
  visit: (container: JsonRecord, path: string) => void,
): void {
  for (const list of CONTAINER_LISTS) {
    for (const [index, one] of recordsAt(spec, list).entries()) {
      visit(one, `${path}.${list}[${index}]`);
    }
  }
}

/** A rule that needs to know more of the spec. @throws {TypeError} outside of a spec of pods. */
export function podCheck(
  check: (value: unknown, path: string, pod: PodReport, old: unknown) => void,
): Check {
  return (value, path, report, old) => {
    if (!(report instanceof PodReport)) throw new TypeError(`${path} is in no spec of pods`);
    check(value, path, report, old);
  };
}

/** The same for a value that is an object; any other passes. */
export function partCheck(check: (part: JsonRecord, path: string, pod: PodReport) => void): Check {
  return podCheck((value, path, pod) => {
    if (isRecord(value)) check(value, path, pod);
  });
}
