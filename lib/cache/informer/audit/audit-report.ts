export interface AuditOptions {
  /** The longest time for the whole audit, milliseconds. The error names the step it waited for. @defaultValue 120 000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether to compare whole objects, not only identities and versions: finds objects that were modified in the cache. Every
   * body is decoded. The informer must have no transform.
   * @defaultValue false
   */
  readonly deep?: boolean | undefined;
  /** Objects a page, at least 1. @defaultValue 500 */
  readonly pageSize?: number | undefined;
}

/** The keys of one kind of difference. */
export interface AuditFinding {
  readonly count: number;
  /** The first 100 of them. */
  readonly keys: readonly string[];
}

/** The result of comparing a cache with its server at one resource version. */
export interface AuditReport {
  /** Whether no object is missing, extra or different. */
  readonly consistent: boolean;
  /** The compared version. */
  readonly resourceVersion: string;
  /** Objects in the cache at that version. */
  readonly objects: number;
  /** Objects that only the server has. */
  readonly missing: AuditFinding;
  /** Objects that only the cache has. */
  readonly extra: AuditFinding;
  /** Objects that both have, with different uid or resource version, or, in a deep audit, with different content. */
  readonly different: AuditFinding;
  /**
   * `exact`: the server listed exactly the state of the cache. `bracketed`: the server does not list past states, so its present
   * state was compared with the cache before and after it; objects that changed in between count as `undecided`.
   */
  readonly comparison: 'exact' | 'bracketed';
  readonly undecided: number;
  /** The reason why the comparison is not exact, as text. */
  readonly note?: string | undefined;
  /** The number of comparisons: more than one if history was compacted, or to confirm a finding. */
  readonly attempts: number;
  readonly durationMs: number;
}
