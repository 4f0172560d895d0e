/** The end of one run of a container. Times are milliseconds since 1970. */
export interface ContainerExit {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string | undefined;
  readonly startedMs: number;
  readonly finishedMs: number;
  readonly id: string;
}

/**
 * Where a container is.
 *
 * | phase | what a user sees |
 * |---|---|
 * | `idle` | waiting for its turn: ContainerCreating, PodInitializing |
 * | `creating` | its image comes, it is made |
 * | `refused` | waiting with a reason: ErrImagePull, CreateContainerConfigError |
 * | `running` | running |
 * | `stopping` | running, and has got its signal |
 * | `exited` | terminated |
 * | `backOff` | waiting for its next start: CrashLoopBackOff |
 */
export type ContainerPhase =
  | 'idle'
  | 'creating'
  | 'refused'
  | 'running'
  | 'stopping'
  | 'exited'
  | 'backOff';

export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral';

/** The delay before the next start of a container that ended; it grows with its ends. */
export interface RestartDelay {
  readonly delayMs: number;
  /** When it was set. */
  readonly sinceMs: number;
}

/** The state of one container of a pod. Times are milliseconds since 1970. */
export interface ContainerLife {
  readonly name: string;
  readonly role: ContainerRole;
  readonly phase: ContainerPhase;
  readonly restarts: number;
  /** When the phase ends by itself: made, killed, tried again. */
  readonly dueMs?: number | undefined;
  /** Why it waits. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** The present run, or the last one. */
  readonly id?: string | undefined;
  readonly startedMs?: number | undefined;
  /** Whether its startup probe has succeeded, and its readiness probe. */
  readonly started: boolean;
  readonly ready: boolean;
  /** When its startup probe succeeds, its readiness probe after that; undefined: not by themselves. */
  readonly startupMs?: number | undefined;
  readonly readyMs?: number | undefined;
  /** When it ends by itself, if that is known at its start. */
  readonly endsMs?: number | undefined;
  /** When its startup probe, or its liveness probe once it has started, has failed too often. */
  readonly failsMs?: number | undefined;
  /** It was stopped to run again, whatever its exit code and its policy are. */
  readonly isReplaced?: boolean | undefined;
  /** How its last run ended, until it runs again. */
  readonly exit?: ContainerExit | undefined;
  /** How the run before that ended. */
  readonly last?: ContainerExit | undefined;
  readonly restartDelay?: RestartDelay | undefined;
}

/** A fact about a container. */
export type ContainerInput =
  | { readonly type: 'create'; readonly dueMs: number; readonly restartDelay?: RestartDelay }
  | {
      readonly type: 'refuse';
      readonly reason: string;
      readonly message: string;
      readonly dueMs?: number | undefined;
    }
  | {
      readonly type: 'run';
      readonly id: string;
      readonly atMs: number;
      readonly startupMs: number | undefined;
      readonly readyAfterMs: number | undefined;
      readonly endsMs: number | undefined;
      /** When the startup probe has failed too often; undefined if it succeeds before. */
      readonly failsMs?: number | undefined;
    }
  | { readonly type: 'startup' }
  | { readonly type: 'ready'; readonly ready: boolean }
  /** `dueMs`: when the liveness probe has failed too often; undefined: it succeeds. */
  | { readonly type: 'health'; readonly dueMs: number | undefined }
  | {
      readonly type: 'stop';
      /** When it is killed. */
      readonly dueMs: number;
      /** When it ends by the signal, if that is known. */
      readonly endsMs?: number | undefined;
      readonly isReplaced?: boolean | undefined;
    }
  | {
      readonly type: 'exit';
      readonly exitCode: number;
      readonly reason: string;
      readonly message?: string | undefined;
      readonly atMs: number;
    }
  | { readonly type: 'hold'; readonly dueMs: number; readonly message: string };

type InputOf<Type extends ContainerInput['type']> = Extract<
  ContainerInput,
  { readonly type: Type }
>;
type Step<Type extends ContainerInput['type']> = (
  life: ContainerLife,
  input: InputOf<Type>,
) => ContainerLife;
type Row = { readonly [Type in ContainerInput['type']]?: Step<Type> };

export function newContainer(name: string, role: ContainerRole): ContainerLife {
  return { name, role, phase: 'idle', restarts: 0, started: false, ready: false };
}

const create: Step<'create'> = (life, { dueMs, restartDelay = life.restartDelay }) => ({
  // Until it runs, it shows why it did not.
  ...life,
  phase: 'creating',
  dueMs,
  restartDelay,
});

const refuse: Step<'refuse'> = (life, { reason, message, dueMs }) => ({
  ...life,
  phase: 'refused',
  reason,
  message,
  dueMs,
});

const run: Step<'run'> = (life, { id, atMs, startupMs, readyAfterMs, endsMs, failsMs }) => {
  const { name, role, exit, last, restartDelay } = life;
  const started = startupMs === undefined || startupMs <= atMs;
  // Others are never ready while they run.
  const isProbed = role === 'main' || role === 'sidecar';
  const readyMs =
    readyAfterMs === undefined || !isProbed ? undefined : (startupMs ?? atMs) + readyAfterMs;
  return {
    name,
    role,
    phase: 'running',
    // A container that has run before runs once more.
    restarts: exit === undefined ? life.restarts : life.restarts + 1,
    last: exit ?? last,
    restartDelay,
    id,
    startedMs: atMs,
    started,
    ready: started && readyMs !== undefined && readyMs <= atMs,
    startupMs,
    readyMs,
    endsMs,
    failsMs,
  };
};

/** The startup probe holds the readiness probe back. */
const ready: Step<'ready'> = (life, input) =>
  life.started
    ? { ...life, ready: input.ready, readyMs: undefined }
    : { ...life, readyMs: input.ready ? life.startupMs : undefined };

const health: Step<'health'> = (life, { dueMs }) => {
  const { started, failsMs, startupMs = 0 } = life;
  // Its startup probe fails before.
  if (!started && failsMs !== undefined && failsMs < startupMs) return life;
  return { ...life, failsMs: dueMs === undefined ? undefined : (failsMs ?? dueMs) };
};

const ends: Step<'exit'> = (life, { exitCode, reason, message, atMs }) => ({
  ...life,
  phase: 'exited',
  dueMs: undefined,
  endsMs: undefined,
  started: false,
  // An init container that succeeded counts as ready.
  ready: life.role === 'init' && exitCode === 0,
  exit: {
    exitCode,
    reason,
    message,
    startedMs: life.startedMs ?? atMs,
    finishedMs: atMs,
    id: life.id ?? '',
  },
});

/** Nothing of it runs yet: it waits again. */
const withdraw: Step<'stop'> = (life) => ({ ...life, phase: 'idle', dueMs: undefined });

const TABLE: Readonly<Record<ContainerPhase, Row>> = {
  idle: { create, refuse },
  creating: { run, refuse, stop: withdraw },
  refused: { create, refuse, stop: withdraw },
  running: {
    startup: (life) => ({ ...life, started: true }),
    ready,
    health,
    stop: (life, { dueMs, endsMs, isReplaced }) => ({
      ...life,
      phase: 'stopping',
      dueMs,
      endsMs,
      isReplaced,
    }),
    exit: ends,
  },
  stopping: {
    ready,
    // The earlier of two ends counts.
    stop: (life, { dueMs }) => ({ ...life, dueMs: Math.min(life.dueMs ?? dueMs, dueMs) }),
    exit: ends,
  },
  exited: {
    create,
    hold: (life, { dueMs, message }) => ({
      ...life,
      phase: 'backOff',
      dueMs,
      reason: 'CrashLoopBackOff',
      message,
      ready: false,
    }),
  },
  backOff: { create },
};

/** The state after a fact. A fact that says nothing in this state, such as a late end, changes nothing. */
export function containerAfter(life: ContainerLife, input: ContainerInput): ContainerLife {
  const step = TABLE[life.phase][input.type] as Step<typeof input.type> | undefined;
  return step === undefined ? life : step(life, input);
}

/** Whether something of it runs. */
export function isAlive({ phase }: ContainerLife): boolean {
  return phase === 'running' || phase === 'stopping';
}
