import { createHook } from 'node:async_hooks';
import { currentAmbientRun } from './ambient-run.ts';
import { currentScope } from './ambient-scope.ts';
import { callPlace, directCaller, stackHere } from './user-place.ts';

/** Files, sockets, programs and threads. Not what synchronous functions have too, such as those of zlib and crypto. */
const REAL = /^(?:FS.*|FILEHANDLE.*|.*WRAP|STATWATCHER|BLOBREADER|WORKER|MESSAGEPORT)$/;
/** Made by Node's code for itself; those of controllers are replaced. */
const NODE_TIMERS: ReadonlySet<string> = new Set(['Timeout', 'Immediate']);

/**
 * Looks at everything asynchronous that Node begins, and reports what controllers begin that no replacement knows of. It slows down a run, so
 * it watches one run of many.
 * @returns ends it
 */
export function watchResources(): () => void {
  let isLooking = false;
  const hook = createHook({
    init(_, type) {
      if (isLooking || !(REAL.test(type) || NODE_TIMERS.has(type))) return;
      isLooking = true;
      try {
        look(type);
      } finally {
        isLooking = false;
      }
    },
  });
  hook.enable();
  return () => {
    hook.disable();
  };
}

function look(type: string): void {
  const run = currentAmbientRun();
  const process = currentScope()?.name;
  if (run === undefined || process === undefined) return;
  const stack = stackHere();
  const { caller, place, trail } = callPlace(stack);
  if (caller !== 'user' && caller !== 'dependency') return;
  if (NODE_TIMERS.has(type) && directCaller(withoutOwn(stack)) === 'library') return;
  run.report({
    class: 'escape',
    subject: `${type} at ${place}`,
    message: `${process} begins something that ends in real time (${type}) at ${trail.join(', called from ')}. The simulation controls neither what it answers nor when`,
    atMs: run.atMs,
  });
}

/** Without the lines of this function and of the hook. */
function withoutOwn(stack: string): string {
  const lines = stack.split('\n');
  const end = lines.findLastIndex((line) => line.includes('emitInit'));
  return lines.slice(end + 1).join('\n');
}
