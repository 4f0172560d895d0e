import type { Format } from '../../../server/registry/validation/formats.ts';

const NO_BACKSTEPS = ["must not contain '..'"];
const NONE: readonly string[] = [];

// See pkg/apis/core/validation/validation.go @ v1.36.3, from validateLocalDescendingPath on.

/** A path without `..` among its steps. */
export const withoutBacksteps: Format = (path) =>
  path.split('/').includes('..') ? NO_BACKSTEPS : NONE;

/** A relative path that stays below. */
export const descendingPath: Format = (path) => [
  ...(path.startsWith('/') ? ['must be a relative path'] : NONE),
  ...withoutBacksteps(path),
];

/** The same, whose first name does not begin with `..`, which is reserved. */
export const unreservedPath: Format = (path) => [
  ...descendingPath(path),
  ...(path.startsWith('..') && !path.startsWith('../') ? ["must not start with '..'"] : NONE),
];
