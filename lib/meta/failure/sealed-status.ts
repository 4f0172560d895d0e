import { reasonRow } from './status-reason.ts';
import type { Status, StatusCause, StatusDetails } from './status.ts';

/** In place of a text that may hold values of Secrets. */
export const UNSHOWN_TEXT = 'the text is not shown, because it may hold values of Secrets';

/** Texts of API servers about reads. They are cut behind the part that is known. */
const KNOWN_TEXTS: readonly RegExp[] = [
  /^secrets(?: "[a-z0-9.-]{1,253}")? is forbidden: User "(?:[^"\\]|\\.){1,253}" cannot [a-z]{1,20} resource "secrets" in API group ""(?: in the namespace "[a-z0-9-]{1,63}"| at the cluster scope)?/,
  /^secrets "[a-z0-9.-]{1,253}" not found$/,
  /^too old resource version: \d{1,20} \(\d{1,20}\)/,
  /^The resourceVersion for the provided (?:watch|list) is too old\./,
  /^The provided continue parameter is too old/,
  /^The provided from state is too old/,
  /^(?:Timeout: )?Too large resource version(?:: \d{1,20}, current: \d{1,20})?/,
  /^Unauthorized$/,
  /^HTTP \d{3}$/,
  /^(?:the server has received t|T)oo many requests(?:, please try again later\.?)?/i,
  /^the server is currently unable to handle the request/,
  /^the server could not find the requested resource/,
  /^storage is \(re\)initializing/,
  /^etcdserver: [a-z ]{1,60}/,
];

const KNOWN_CAUSES =
  /^(?:FieldValue[A-Z][A-Za-z]{1,20}|FieldManagerConflict|ResourceVersionTooLarge|UnexpectedServerResponse)$/;
const LONGEST_DELAY_SECONDS = 1_000_000;

/** A Status with the fields that the API has; a server may send others. */
export function plainStatus(status: Status): Status {
  const { metadata, details, message, reason, code } = status;
  const { continue: continueToken } = Object(metadata) as Status['metadata'];
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: continueToken === undefined ? {} : { continue: continueToken },
    status: status.status,
    message,
    reason,
    details: details && plainDetails(details),
    code,
  };
}

function plainDetails({
  name,
  group,
  kind,
  uid,
  causes,
  retryAfterSeconds,
}: StatusDetails): StatusDetails {
  const plain = Array.isArray(causes) ? causes.map(plainCause) : undefined;
  return { name, group, kind, uid, causes: plain, retryAfterSeconds };
}

function plainCause(cause: StatusCause): StatusCause {
  const { reason, message, field } = Object(cause) as StatusCause;
  return { reason, message, field };
}

/** The Status of a failed write of Secrets, with masked texts. Reasons, codes, names and fields stay. */
export function maskedStatus(status: Status, mask: (text: string) => string): Status {
  const plain = plainStatus(status);
  const { details, message } = plain;
  const causes = details?.causes?.map((cause) => ({
    ...cause,
    message: maskedMessage(cause.message, mask),
  }));
  return {
    ...plain,
    message: maskedMessage(message, mask),
    ...(details === undefined ? {} : { details: { ...details, causes } }),
  };
}

/** The fields of a Status may have any type. */
function maskedMessage(message: unknown, mask: (text: string) => string): string | undefined {
  return typeof message === 'string' ? mask(message) : undefined;
}

/**
 * The Status of a failed read of Secrets, without texts that are not known: what refuses a read may repeat what was read. Reasons, codes
 * and delays stay, which say what to do.
 */
export function sealedStatus(status: Status): Status {
  const { metadata, details, reason, code } = status;
  const { continue: continueToken } = Object(metadata) as Status['metadata'];
  const known = reasonRow(reason, undefined)?.reason;
  const message = knownText(status.message);
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: typeof continueToken === 'string' ? { continue: continueToken } : {},
    status: 'Failure',
    message,
    ...(known === undefined ? {} : { reason: known }),
    ...(details === undefined ? {} : { details: sealedDetails(details, message) }),
    ...(typeof code === 'number' ? { code } : {}),
  };
}

function sealedDetails(details: StatusDetails, text: string): StatusDetails {
  const { name, kind, causes, retryAfterSeconds: seconds } = Object(details) as StatusDetails;
  const known = Array.isArray(causes)
    ? causes.map((cause): StatusCause => {
        const { reason = '', message } = Object(cause) as StatusCause;
        const isKnown = KNOWN_CAUSES.test(reason);
        return { ...(isKnown ? { reason } : {}), message: knownText(message) };
      })
    : undefined;
  const isDelay = typeof seconds === 'number' && seconds < LONGEST_DELAY_SECONDS;
  return {
    // A name that the text has, too.
    ...(typeof name === 'string' && text.includes(`"${name}"`) ? { name } : {}),
    ...(kind === 'secrets' ? { kind } : {}),
    ...(known === undefined ? {} : { causes: known }),
    ...(isDelay ? { retryAfterSeconds: seconds } : {}),
  };
}

function knownText(text: unknown): string {
  if (typeof text !== 'string') return UNSHOWN_TEXT;
  for (const pattern of KNOWN_TEXTS) {
    const found = pattern.exec(text);
    if (found !== null) return found[0];
  }
  return UNSHOWN_TEXT;
}
