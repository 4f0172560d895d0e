export interface AuditOptions {
  /** Longest time for the whole audit, milliseconds. The error then says what it waited for. @defaultValue 120 000 */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Compare the objects themselves, not only their identities and versions: finds objects that were modified in the cache. It makes
   * every body be decoded, and needs an informer without a transform.
   * @defaultValue false
   */
  readonly deep?: boolean | undefined;
  /** Objects a page, at least 1. @defaultValue 500 */
  readonly pageSize?: number | undefined;
}

/** Keys of objects that an audit objects to. */
export interface AuditFinding {
  readonly count: number;
  /** The first 100 of them. */
  readonly keys: readonly string[];
}

/** How a cache compares with its server at one resource version. */
export interface AuditReport {
  /** Whether no object is missing, extra or different. */
  readonly consistent: boolean;
  /** The one that was compared. */
  readonly resourceVersion: string;
  /** Objects in the cache at that version. */
  readonly objects: number;
  /** The server has them, the cache has not. */
  readonly missing: AuditFinding;
  /** The cache has them, the server has not. */
  readonly extra: AuditFinding;
  /** Both have them, with another uid or resource version, or, for a deep audit, with other content. */
  readonly different: AuditFinding;
  /**
   * `exact`: the server listed the very state that the cache showed. `bracketed`: the server does not list past states, so its
   * present one was compared with the cache before and after it; objects that changed in between count as `undecided`.
   */
  readonly comparison: 'exact' | 'bracketed';
  readonly undecided: number;
  /** Why it is no exact comparison, in words. */
  readonly note?: string | undefined;
  /** Times the comparison was begun: more than once when history was gone, or to confirm what the first one found. */
  readonly attempts: number;
  readonly durationMs: number;
}
