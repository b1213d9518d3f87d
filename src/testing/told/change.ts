import { BlockList, isIPv4 } from 'node:net';
import type { Dice } from '../dice.ts';
import type { Attempt } from './attempt.ts';
import { setText, textsOf } from './properties.ts';
import type { Told, ToldTest } from './words.ts';

/**
 * A change after which a condition holds that did not, and none of those that are told of rules that deny; undefined where
 * some tries find none.
 */
export function tryChanges(attempt: Attempt, told: Told, denied: readonly Told[], dice: Dice): Attempt | undefined {
  if (holdsAsTold(attempt, told)) return undefined;
  for (let i = 0; i < 60; i++) {
    const changed = changeAsTold(attempt, told, dice);
    if (changed === undefined || !holdsAsTold(changed, told)) continue;
    if (!denied.some((one) => holdsAsTold(changed, one))) return changed;
  }
  return undefined;
}

function holdsAsTold(attempt: Attempt, told: Told): boolean {
  switch (told.kind) {
    case 'anything':
      return true;
    case 'nothing':
      return false;
    case 'not':
      return !holdsAsTold(attempt, told.of);
    case 'and':
      return told.of.every((part) => holdsAsTold(attempt, part));
    case 'or':
      return told.of.some((part) => holdsAsTold(attempt, part));
    case 'test':
      return textsOf(attempt, told.subject).some((text) => meets(text, told));
  }
}

/**
 * Changes a request until a condition holds (or does not), as somebody would who has its words alone: of several choices one,
 * by chance. Undefined where no client can.
 */
function changeAsTold(attempt: Attempt, told: Told, dice: Dice, wanted = true): Attempt | undefined {
  switch (told.kind) {
    case 'anything':
      return wanted ? attempt : undefined;
    case 'nothing':
      return wanted ? undefined : attempt;
    case 'not':
      return changeAsTold(attempt, told.of, dice, !wanted);
    case 'test':
      return changeTest(attempt, told, dice, wanted);
    default:
      return (told.kind === 'and') === wanted
        ? all(attempt, told.of, dice, wanted)
        : one(attempt, told.of, dice, wanted);
  }
}

function all(attempt: Attempt, parts: readonly Told[], dice: Dice, wanted: boolean): Attempt | undefined {
  let changed: Attempt | undefined = attempt;
  for (const part of parts) changed &&= changeAsTold(changed, part, dice, wanted);
  return changed;
}

function one(attempt: Attempt, parts: readonly Told[], dice: Dice, wanted: boolean): Attempt | undefined {
  const first = dice.below(parts.length);
  for (const part of [...parts.slice(first), ...parts.slice(0, first)]) {
    const changed = changeAsTold(attempt, part, dice, wanted);
    if (changed !== undefined) return changed;
  }
  return undefined;
}

function changeTest(attempt: Attempt, test: ToldTest, dice: Dice, wanted: boolean): Attempt | undefined {
  if (textsOf(attempt, test.subject).some((text) => meets(text, test)) === wanted) return attempt;
  if (!wanted) return setText(attempt, test.subject, undefined, (text) => !meets(text, test));
  const good = [...samples(test), ...usual(attempt, test.subject)].filter(
    (sample) => meets(sample, test) && (test.subject !== 'path' || sample.startsWith('/')),
  );
  const value = dice.chance(50) ? good[0] : dice.pick(good);
  return value === undefined ? undefined : setText(attempt, test.subject, value, (text) => meets(text, test));
}

function meets(text: string, { subject, verb, value }: ToldTest): boolean {
  const [actual, asked] = [text.toLowerCase(), value.toLowerCase()];
  switch (verb) {
    case 'present':
      return true;
    case 'is':
      // Everybody knows that hosts have no case.
      return subject === 'host' ? actual === asked : text === value;
    case 'begins with':
      return actual.startsWith(asked);
    case 'ends with':
      return actual.endsWith(asked);
    case 'contains':
      return actual.includes(asked);
    case 'matches':
      return new RegExp(`^(?:${value.replaceAll('(?s)', '')})$`, 's').test(text);
    case 'like':
      return new RegExp(
        `^${value.replaceAll('**', '\0').replaceAll('*', "[-\\w.~%!$&'()+,;:@=]+").replaceAll('\0', "[-\\w.~%!$&'()+,;:@=*/]*")}$`,
      ).test(text);
    case 'in': {
      const [address = '', length = '32'] = value.split('/');
      const block = new BlockList();
      block.addSubnet(address, Number(length));
      return isIPv4(text) && block.check(text);
    }
  }
}

/** Texts of which one may do. */
function samples({ subject, verb, value }: ToldTest): readonly string[] {
  switch (verb) {
    case 'present':
      return [subject === 'identity' ? anyIdentity : 'told'];
    case 'is':
      return [value];
    case 'begins with':
      return subject === 'host' && value.endsWith(':') ? [`${value}80`] : [value, `${value}told`];
    case 'ends with':
      return beginnings(subject).map((beginning) => `${beginning}${value}`);
    case 'contains':
      return beginnings(subject).map((beginning) => `${beginning}${value}${value.endsWith(':') ? '80' : ''}`);
    case 'matches':
      return ['told', 'told.test', '/told', anyIdentity, value.replaceAll('\\', '')];
    case 'like':
      return [value.replaceAll('**', 'told').replaceAll('*', 'told')];
    case 'in': {
      const [address = '', length = '32'] = value.split('/');
      if (Number(length) > 30) return [address];
      return [Number(length) < 8 ? '10.9.0.9' : address.replace(/\d+$/, '9')];
    }
  }
}

/** What a client says or is that knows the mesh. */
function usual({ validClaims, request }: Attempt, subject: string): readonly string[] {
  switch (subject) {
    case 'identity':
      return ['foo/sa/sleep', 'foo/sa/other', 'bar/sa/sleep', 'bar/sa/web'].map(
        (name) => `spiffe://cluster.local/ns/${name}`,
      );
    case 'path':
      return ['/info', '/store/told', request.path.replace(/\?.*/s, '')];
    case 'host':
      return ['httpbin.foo', 'api.example.com', 'httpbin.foo:8080'];
    case 'claim iss':
      return [...validClaims.keys()].map(String);
    default:
      return [];
  }
}

const anyIdentity = 'spiffe://cluster.local/ns/foo/sa/sleep';

function beginnings(subject: string): readonly string[] {
  if (subject === 'path') return ['/told', '/', ''];
  if (subject === 'identity') return ['spiffe://cluster.local/ns/foo', 'spiffe://cluster.local', 'spiffe://'];
  return subject === 'host' || subject === 'server name' ? ['told', 'told.'] : ['told', ''];
}
