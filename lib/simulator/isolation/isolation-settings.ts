/** How the processes are guarded that run the controllers of a module. */
export interface IsolationSettings {
  /** The module whose default export are the options of a simulation, as a URL. */
  readonly module: string;
  /** A process that has done nothing but compute for so long is blocked, milliseconds. */
  readonly blockedMs: number;
  /** The memory of a process, megabytes. */
  readonly heapMb: number;
  /** Whether each incarnation gets freshly loaded modules. */
  readonly modules: 'auto' | 'shared' | 'fresh';
}

let settings: IsolationSettings | undefined;

/** The settings of this process; undefined for one that runs nothing in isolation. */
export function isolationSettings(): IsolationSettings | undefined {
  return settings;
}

export function setIsolation(given: IsolationSettings): void {
  settings = given;
}
