/** The error of a connection that took too long, as Node reports it. */
export function notConnectedInTime(limitMs: number): Error {
  const text = `connect ETIMEDOUT: no connection within ${limitMs} ms`;
  return Object.assign(new Error(text), { code: 'ETIMEDOUT' });
}
