const refused = new WeakSet<object>();

/** Makes the validation of an object refuse privileged containers, as a cluster does without the flag `--allow-privileged`. */
export function refusePrivileged(object: object): void {
  refused.add(object);
}

export function mayBePrivileged(object: object): boolean {
  return !refused.has(object);
}
