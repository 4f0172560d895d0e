// The default export, as in real-process.ts.
import process from 'node:process';

/** Whether the program runs in production: the environment variable NODE_ENV is `production`. */
export function inProduction(): boolean {
  return process.env['NODE_ENV'] === 'production';
}
