import type { ContainerBehaviour } from './container-behaviour.ts';

/** A registry below `.invalid`, which no name can be (RFC 2606), or the tag `404`. */
const MISSING = /^[a-z0-9.-]+\.invalid(?::\d+)?\/|:404$/;

/** The behaviour of a container whose image no registry has, so that tests need no rule for that; undefined for every other image. */
export function missingImage(image: string = ''): ContainerBehaviour | undefined {
  if (!MISSING.test(image)) return undefined;
  const pullError = `failed to pull and unpack image ${JSON.stringify(image)}: failed to resolve reference ${JSON.stringify(image)}: not found`;
  return { pullError };
}
