const UIDS = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const UID_LENGTH = 36;

/** A text with something else in place of each uid in it: every run draws other ones. */
export function replaceUids(text: string, replacement: (uid: string) => string): string {
  return text.length < UID_LENGTH ? text : text.replace(UIDS, replacement);
}

/** The name of an object as points of faults have it: `default/disk-{uid}` for an object that is named after a uid. */
export function withoutUids(name: string): string {
  return replaceUids(name, () => '{uid}');
}
