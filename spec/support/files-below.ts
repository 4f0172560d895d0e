import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of the files below a folder whose names end so, without installed packages. */
export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}
