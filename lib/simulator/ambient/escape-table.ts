import { builtinModule } from './builtin-module.ts';
import { replaceFunction, replaceProperty, type Callable } from './replace-property.ts';
import { ListwatchError } from '../../kernel/failure/errors.ts';
import { currentAmbientRun, isAmbientSimulated, reportLoading } from './ambient-run.ts';
import { currentScope } from './ambient-scope.ts';
import { callPlace, stackHere, type CallPlace } from './user-place.ts';

/** Something real that controllers can reach. */
interface EscapeRow {
  /** As the report names it: `node:http request`. */
  readonly what: string;
  /** The remedy. */
  readonly remedy: string;
  /** Modules may use it while they are loaded. */
  readonly mayLoad: boolean;
  /** How the call fails: it throws, or its promise rejects; `allowed`: it is reported, and goes on. */
  readonly fails: 'throws' | 'rejects' | 'allowed';
}

/** A function or a class that reports each use of it by a controller, and then fails; this package and Node go on using the real one. */
function reported(real: Callable, row: EscapeRow): Callable {
  const refusal = (): ListwatchError | undefined => escape(row);
  return new Proxy(real, {
    apply(target, self, given) {
      const error = refusal();
      if (error === undefined) return Reflect.apply(target, self, given);
      if (row.fails === 'rejects') return Promise.reject(error);
      throw error;
    },
    construct(target, given, newTarget) {
      const error = refusal();
      if (error !== undefined) throw error;
      return Reflect.construct(target, given, newTarget) as object;
    },
  });
}

/** Reports a use, if it is one of a controller. @returns why it is refused */
function escape(row: EscapeRow): ListwatchError | undefined {
  if (!isAmbientSimulated()) return undefined;
  const run = currentAmbientRun();
  if (run === undefined && row.mayLoad) return undefined;
  const call = callPlace(stackHere());
  if (row.fails === 'allowed' && call.caller === 'library') return undefined;
  if (isOfTheSimulator(call) || (run === undefined && call.caller !== 'user')) return undefined;
  const { what, remedy } = row;
  const { place, trail } = call;
  const where = trail.length > 1 ? trail.join(', called from ') : place;
  const process = currentScope()?.name;
  const finding = {
    class: 'escape',
    subject: `${what} at ${place}`,
    message: `${process ?? 'the program'} uses ${what} at ${where}. The simulation controls neither what it answers nor when. ${remedy}`,
  } as const;
  if (run === undefined) {
    reportLoading(finding);
    return undefined;
  }
  run.report({ ...finding, atMs: run.atMs });
  if (row.fails === 'allowed') return undefined;
  return new ListwatchError(
    'SIMULATION_ESCAPE',
    `${what} is not simulated, at ${place}. ${remedy}`,
  );
}

/** Whether the call is one that the simulator, Node, or the import of a module needs. */
function isOfTheSimulator({ caller }: CallPlace): boolean {
  if (caller === 'loader' || caller === 'node') return true;
  return caller === 'library' && currentScope() === undefined;
}

const SOCKETS =
  'Use incarnation.client for the API server; give other services to the controller as an interface, and a stand-in here.';
const FILES =
  'Read it before the simulation, or with the synchronous function, which a run repeats as long as the file stays.';
const OTHER_THREADS = 'Give it to the controller as an interface, and a stand-in here.';
const REAL_TIME = 'It is done by another thread in real time: use the synchronous function.';
const COLLECTION = 'It depends on when garbage is collected.';

const sockets = { remedy: SOCKETS, mayLoad: false, fails: 'throws' } as const;
const files = { remedy: FILES, mayLoad: true } as const;
const threads = { remedy: OTHER_THREADS, mayLoad: false, fails: 'throws' } as const;
const realTime = { remedy: REAL_TIME, mayLoad: true } as const;

type Row = Omit<EscapeRow, 'what'>;

/** Replaces what cannot be simulated by functions that report it. Synchronous input and output stays as it is. */
export function replaceEscapes(): void {
  replaceSockets();
  replaceFiles();
  replaceThreads();
  replaceSlowWork();
  replaceGlobals();
}

function report(
  target: object | undefined,
  names: readonly string[],
  owner: string,
  row: Row,
): void {
  if (target === undefined) return;
  for (const name of names) {
    const what = owner === '' ? name : `${owner} ${name}`;
    replaceFunction(target, name, (real) => reported(real, { ...row, what }));
  }
}

function prototypeOf(owner: object | undefined): object | undefined {
  return owner === undefined ? undefined : (Reflect.get(owner, 'prototype') as object | undefined);
}

/** Functions, not classes and constants. */
function functionsOf(target: object): readonly string[] {
  return Object.getOwnPropertyNames(target).filter(
    (name) => /^[a-z]/.test(name) && name !== 'constructor' && isFunction(target, name),
  );
}

function isFunction(target: object, name: string): boolean {
  return typeof Object.getOwnPropertyDescriptor(target, name)?.value === 'function';
}

function replaceSockets(): void {
  const net = builtinModule('node:net');
  report(net, ['connect', 'createConnection'], 'node:net', sockets);
  report(prototypeOf(net['Socket']), ['connect'], 'node:net Socket', sockets);
  report(prototypeOf(net['Server']), ['listen'], 'node:net Server', sockets);
  report(builtinModule('node:tls'), ['connect'], 'node:tls', sockets);
  for (const name of ['node:http', 'node:https'])
    report(builtinModule(name), ['request', 'get'], name, sockets);
  report(builtinModule('node:http2'), ['connect'], 'node:http2', sockets);
  const dgram = builtinModule('node:dgram');
  report(prototypeOf(dgram['Socket']), ['bind', 'send', 'connect'], 'node:dgram Socket', sockets);
  const dns = builtinModule('node:dns');
  const names = functionsOf(dns).filter((name) => /^(?:resolve|lookup|reverse)/.test(name));
  report(dns, names, 'node:dns', sockets);
  report(prototypeOf(dns['Resolver']), names, 'node:dns Resolver', sockets);
  const promises = builtinModule('node:dns/promises');
  report(promises, names, 'node:dns/promises', { ...sockets, fails: 'rejects' });
  report(prototypeOf(promises['Resolver']), names, 'node:dns/promises Resolver', sockets);
}

function replaceFiles(): void {
  const fs = builtinModule('node:fs');
  const asynchronous = functionsOf(fs).filter((name) => Object.hasOwn(fs, `${name}Sync`));
  const others = ['watch', 'watchFile', 'createReadStream', 'createWriteStream', 'openAsBlob'];
  report(fs, [...asynchronous, ...others], 'node:fs', { ...files, fails: 'throws' });
  const promises = builtinModule('node:fs/promises');
  const rejects = functionsOf(promises).filter((name) => name !== 'watch');
  report(promises, rejects, 'node:fs/promises', { ...files, fails: 'rejects' });
  report(promises, ['watch'], 'node:fs/promises', { ...files, fails: 'throws' });
}

function replaceThreads(): void {
  const programs = builtinModule('node:child_process');
  report(programs, functionsOf(programs), 'node:child_process', threads);
  report(builtinModule('node:cluster'), ['fork'], 'node:cluster', threads);
  const ports = ['MessageChannel', 'BroadcastChannel'];
  report(builtinModule('node:worker_threads'), ['Worker'], 'node:worker_threads', threads);
  report(builtinModule('node:worker_threads'), ports, 'node:worker_threads', {
    ...threads,
    mayLoad: true,
  });
  report(Atomics, ['wait', 'waitAsync'], 'Atomics', { ...threads, mayLoad: true });
}

function replaceSlowWork(): void {
  const zlib = builtinModule('node:zlib');
  const streams = functionsOf(zlib).filter((name) => name.startsWith('create'));
  const compressing = functionsOf(zlib).filter((name) => Object.hasOwn(zlib, `${name}Sync`));
  report(zlib, [...streams, ...compressing], 'node:zlib', { ...realTime, fails: 'throws' });
  const crypto = builtinModule('node:crypto');
  const slow = ['pbkdf2', 'scrypt', 'hkdf', 'checkPrime'];
  report(crypto, slow, 'node:crypto', { ...realTime, fails: 'throws' });
  const keys = functionsOf(crypto).filter((name) => /^generate(?:Key|Prime)/.test(name));
  const remedy = 'Its random numbers are those of the machine: make it before the simulation.';
  report(crypto, keys, 'node:crypto', { remedy, mayLoad: true, fails: 'throws' });
  const subtle: object = Object.getPrototypeOf(globalThis.crypto.subtle) as object;
  report(subtle, functionsOf(subtle), 'crypto.subtle', { ...realTime, fails: 'rejects' });
  const compiling = ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming'];
  report(Reflect.get(globalThis, 'WebAssembly') as object, compiling, 'WebAssembly', {
    ...realTime,
    fails: 'rejects',
  });
  report(builtinModule('node:perf_hooks'), ['monitorEventLoopDelay'], 'node:perf_hooks', {
    ...realTime,
    fails: 'throws',
  });
}

function replaceGlobals(): void {
  report(globalThis, ['fetch'], '', { ...sockets, fails: 'rejects' });
  for (const name of ['WebSocket', 'EventSource']) reportLazily(name, sockets);
  for (const name of ['MessageChannel', 'BroadcastChannel']) {
    reportLazily(name, { ...threads, mayLoad: true });
  }
  const row = { remedy: COLLECTION, mayLoad: true, fails: 'allowed' } as const;
  report(globalThis, ['FinalizationRegistry', 'WeakRef'], '', row);
}

/** Node loads some globals when they are first read. */
function reportLazily(name: string, row: Row): void {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
  if (descriptor === undefined) return;
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: descriptor.enumerable ?? false,
    get: () => {
      // Node puts what it has loaded in the place of this property.
      const real: unknown = descriptor.value ?? descriptor.get?.call(globalThis);
      const replaced = reported(real as Callable, { ...row, what: name });
      replaceProperty(globalThis, name, replaced);
      return replaced;
    },
    set: (value: unknown) => {
      replaceProperty(globalThis, name, value);
    },
  });
}
