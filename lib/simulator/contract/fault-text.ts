import type { ChangePoint, PlannedFault, RequestPoint } from './fault.ts';

/** A fault as a clause: `crash after the server has handled the 2nd write of sites`. */
export function faultText(fault: PlannedFault): string {
  switch (fault.kind) {
    case 'crash':
      if (fault.moment !== 'later')
        return `crash ${MOMENTS[fault.moment]} ${requestText(fault.at)}`;
      return `crash at the ${ordinal(fault.wakeUp ?? 1)} wake-up after the answer to ${requestText(fault.at)}`;
    case 'error':
      return `answer ${fault.status} to ${requestText(fault.at)}, ${
        fault.handled ? 'although it was carried out' : 'which is not carried out'
      }`;
    case 'lost':
      return fault.handled
        ? `the answer to ${requestText(fault.at)} is lost`
        : `${requestText(fault.at)} is lost`;
    case 'repeat':
      return `${requestText(fault.at)} arrives twice`;
    case 'slow':
      return `the answer to ${requestText(fault.at)} comes ${seconds(fault.delayMs)} late`;
    case 'partition':
      return `no network for ${seconds(fault.forMs)} from ${requestText(fault.at)} on`;
    case 'pause':
      return `stopped for ${seconds(fault.forMs)} at ${requestText(fault.at)}`;
    case 'webhook':
      return `writes of ${fault.resource} fail for ${seconds(fault.forMs)} from ${requestText(fault.at)} on, since a webhook is down`;
    case 'clock':
      return `the clock jumps by ${seconds(fault.byMs)} at ${requestText(fault.at)}`;
    case 'cut':
      return `watches of ${fault.at.resource} break when ${changeText(fault.at)}${
        fault.compacted ? ', and their history is compacted' : ''
      }`;
    case 'hide':
      return `sees no change of ${fault.at.resource} from when ${changeText(fault.at)} until ${changeText(
        fault.until,
      )}${fault.mode === 'missed' ? ', and then only the state' : ''}`;
    case 'reorder':
      return `restart when ${changeText(fault.at)}, with lists in reverse order`;
    default:
      return `restart when ${changeText(fault.at)}, served for ${seconds(fault.forMs)} by caches from ${
        fault.side
      } ${changeText(fault.view)}`;
  }
}

const MOMENTS = {
  before: 'before',
  handled: 'when the server has handled',
  answered: 'at the answer to',
} as const;

function requestText({ verb, resource, object, occurrence }: RequestPoint): string {
  const what = verb === 'any' ? 'request' : verb;
  const of = [resource, object].filter((one) => one !== undefined).join(' ');
  return `the ${ordinal(occurrence)} ${what}${of === '' ? '' : ` of ${of}`}`;
}

export function changeText({
  resource,
  object,
  change = 'changed',
  occurrence,
}: ChangePoint): string {
  const times = occurrence === 1 ? '' : ` for the ${ordinal(occurrence)} time`;
  return `${resource} ${object} is ${change}${times}`;
}

function seconds(ms: number): string {
  return Math.abs(ms) < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}

export function ordinal(count: number): string {
  const teens = count % 100 >= 11 && count % 100 <= 13;
  const ending = teens ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${ending}`;
}
