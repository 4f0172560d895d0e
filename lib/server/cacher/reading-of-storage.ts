/** How the reflector of a watch cache reads the storage. */
export const READING_OF_STORAGE: {
  readonly watchList: false;
  readonly onRefused: 'retry';
  readonly pageSize: number;
  readonly backoff: { readonly capMs: number };
} = {
  watchList: false,
  onRefused: 'retry',
  /** Number of objects in a page (cacher/lister_watcher.go storageWatchListPageSize @ 24a394e). */
  pageSize: 10_000,
  /**
   * A cache whose list failed, e.g. at an object that cannot be read, lists again within about a second: what is repaired is
   * soon served. @see apiserver pkg/storage/cacher/cacher.go NewCacherFromConfig, the period of startCaching @ v0.36.3
   */
  backoff: { capMs: 1_000 },
};
