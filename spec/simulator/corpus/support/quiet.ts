import { isAlreadyExists, isNotFound } from '../../../../lib/meta/failure/failures.ts';

/** Awaits a create; that the object exists already is no failure. */
export async function unlessExists<T>(created: Promise<T>): Promise<T | undefined> {
  return await unless(isAlreadyExists, created);
}

/** Awaits a call; that there is no such object is no failure. */
export async function unlessGone<T>(done: Promise<T>): Promise<T | undefined> {
  return await unless(isNotFound, done);
}

async function unless<T>(
  isHarmless: (error: unknown) => boolean,
  work: Promise<T>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isHarmless(error)) throw error;
    return undefined;
  }
}
