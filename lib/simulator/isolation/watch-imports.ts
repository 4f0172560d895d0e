import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { callPlace } from '../ambient/user-place.ts';
import type { Finding } from '../contract/finding.ts';
import { onRunEnd, onRunStart } from '../run/run-watchers.ts';
import type { ImportedModule } from './module-hooks.ts';

/**
 * Reports modules that controllers import during a run: the loader needs real time for them.
 * @param port brings all imports, one message each
 */
export function watchImports(port: MessagePort): void {
  onRunStart(() => {
    takeAll(port);
  });
  onRunEnd(() => {
    // Further imports of a module follow from the first one.
    const [first] = takeAll(port).filter(({ parent }) => isTheirs(parent));
    return first === undefined ? [] : [findingOf(first)];
  });
}

function takeAll(port: MessagePort): readonly ImportedModule[] {
  const all: ImportedModule[] = [];
  for (;;) {
    const received = receiveMessageOnPort(port);
    if (received === undefined) return all;
    all.push(received.message as ImportedModule);
  }
}

function isTheirs(parent: string): boolean {
  if (!parent.startsWith('file:')) return false;
  const { caller } = callPlace(`at (${parent}:1:1)`);
  return caller === 'user' || caller === 'dependency';
}

function findingOf({ parent, specifier }: ImportedModule): Finding {
  const { place } = callPlace(`at (${parent}:${lineOf(parent, specifier)}:1)`);
  return {
    class: 'escape',
    subject: `import() at ${place}`,
    message: `import('${specifier}') at ${place} loads a module during a run, which takes real time. Import it at the top of the module`,
  };
}

/** The line of the source that imports a module. */
function lineOf(parent: string, specifier: string): number {
  const url = new URL(parent);
  url.search = '';
  const lines = readFileSync(fileURLToPath(url), 'utf8').split('\n');
  return (
    Math.max(
      0,
      lines.findIndex((line) => line.includes('import(') && line.includes(specifier)),
    ) + 1
  );
}
