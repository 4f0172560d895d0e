/** Exceptions that the server allows from the rules of a kind. */
export interface WritePolicy {
  /** Whether containers may be privileged, as in a cluster with the flag `--allow-privileged`. @defaultValue true */
  readonly allowPrivileged?: boolean | undefined;
}
