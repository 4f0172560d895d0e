import type { ApiError } from '../../../meta/failure/api-error.ts';
import { badRequest } from '../../../meta/failure/failures.ts';
import { randomText } from '../../../kernel/time/random.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import { type Format } from './name-forms.ts';

/** The form of the names of a kind: the faults of a name, none when there is none. */
export type NameRule = Format;

/** The failure of an update whose object has no name. @param name The name in the URL. */
export function nameMissing(name: string): ApiError {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

/**
 * Checks that the object of an update is that of the URL. @param given The name in the object. @param name The name in the URL.
 * @throws {ApiError} 400.
 * @see apiserver pkg/endpoints/handlers/rest.go checkName @ v0.36.3
 */
export function checkNameOfUrl(given: string, name: string): void {
  if (given === '') throw nameMissing(name);
  if (given !== name) {
    throw badRequest(
      `the name of the object (${given}) does not match the name on the URL (${name})`,
    );
  }
}

/** Without vowels and similar characters, so that no words result. See apimachinery util/rand/rand.go @ eed236c. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const LONGEST_GENERATED_NAME = 63;

/**
 * Maximum number of generated names that `create` tries when names are taken. See apiserver registry/generic/registry/store.go
 * @ 24a394e.
 */
export const NAME_GENERATION_ATTEMPTS = 8;

/** A name from `metadata.generateName`: its first 58 characters and 5 random ones. */
export function generateName(runtime: Pick<Runtime, 'random'>, base: string): string {
  const head = base.slice(0, LONGEST_GENERATED_NAME - SUFFIX_LENGTH);
  return head + randomText(runtime, SUFFIX_LENGTH, SUFFIX_ALPHABET);
}

/** An example of a name generated from `base`, for validation: a trailing dash is allowed in a base. */
export function maskTrailingDash(base: string): string {
  return base.length > 1 && base.endsWith('-') ? `${base.slice(0, -2)}a` : base;
}
