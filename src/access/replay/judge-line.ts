import { type Choose, everyWay } from '../evaluate/choices.ts';
import type { Client } from '../evaluate/client.ts';
import { travelOnce } from '../evaluate/travel.ts';
import type { Way } from '../evaluate/way.ts';
import { findWorkload, keyOf, type World } from '../world.ts';
import { agrees } from './agreement.ts';
import { distinctBeginnings } from './beginnings.ts';
import { type KnownRequest, knownRequest, type WriterTraits } from './known-request.ts';
import type { LoggedRequest } from './logged-request.ts';
import type { PlacedLine } from './place-line.ts';
import { sameAnswer } from './same-answer.ts';

/** What becomes of the request of a line under the new policies. */
export type LineVerdict =
  | { readonly kind: 'same'; readonly before?: Way }
  | { readonly kind: 'changed'; readonly before: Way; readonly after: Way }
  /** It depends on parts of the request that the line does not tell. */
  | { readonly kind: 'may change'; readonly lacks: readonly string[]; readonly before?: Way; readonly after?: Way }
  /** The old policies do not give the answer that was logged, whatever the line does not tell. */
  | { readonly kind: 'miss'; readonly predicted: Way | undefined };

/** Two versions of one mesh, and what is the same in both. */
export interface Versions {
  readonly before: World;
  readonly after: World;
  /** Workloads (`namespace/name`) whose proxies, and redirection, are the same. */
  readonly unchanged: ReadonlySet<string>;
}

/** After so many combinations of what is not known, it is too much. */
const mostTries = 512;

/**
 * Most lines need few tries. Where the parts that are not known have too many combinations, whole rules are assumed to hold
 * or not: what all of these have in common, all requests have in common.
 */
const passes = [
  { isCoarse: false, mostTries: 64 },
  { isCoarse: true, mostTries },
  { isCoarse: false, mostTries },
] as const;

/** Compares both answers to one logged request, for each combination of what the line does not tell. */
export function judgeLine(
  versions: Versions,
  logged: LoggedRequest,
  placed: PlacedLine,
  traits: WriterTraits,
  newForms: string,
): LineVerdict {
  const isAlone = placed.side === 'server' && versions.unchanged.has(keyOf(placed.writer));
  const known = knownRequest(logged, placed, traits);
  if (typeof known === 'string') return isAlone ? { kind: 'same' } : { kind: 'may change', lacks: [known] };
  if (!versions.after.proxies.has(keyOf(placed.writer))) {
    return { kind: 'may change', lacks: [`a proxy of ${keyOf(placed.writer)} in the new inputs`] };
  }
  if (traits.forms !== newForms)
    return { kind: 'may change', lacks: ['the request as it was before the proxy changed it'] };
  const tls = distinctBeginnings([versions.before, versions.after], placed, known);
  let tries: readonly Try[] = [];
  let isReproduced = false;
  for (const { isCoarse, mostTries: most } of passes) {
    const follow = (choose: Choose): Try => tryOnce(versions, logged, placed, { ...known, tls }, { choose, isCoarse });
    tries = everyWay(follow, isEnoughOf(isAlone, most)).map(({ result }) => result);
    const verdict = tries.length >= most ? undefined : verdictOf(tries, logged);
    // Rules that are assumed to hold together may exclude each other: they reproduce no answer, and make none possible.
    isReproduced ||= !isCoarse && tries.some(({ isFitting }) => isFitting);
    const isSure = !isCoarse || verdict?.kind === 'miss' || (isReproduced && verdict?.kind !== 'may change');
    if (verdict !== undefined && isSure) return verdict;
  }
  return { kind: 'may change', lacks: lackingIn(tries), ...ends(tries.find(({ isFitting }) => isFitting)) };
}

/** What all combinations of what is not known have in common, of those that give the answer of the log. */
function verdictOf(tries: readonly Try[], logged: LoggedRequest): LineVerdict {
  const fitting = tries.filter(({ isFitting }) => isFitting);
  const [first] = fitting;
  if (first === undefined) return missed(tries, logged);
  const changed = fitting.find(({ isSame }) => !isSame);
  if (changed === undefined) return { kind: 'same', before: first.before };
  const gap = fitting.flatMap(({ after: { outcome } }) => (outcome.kind === 'unmodelled' ? [outcome.at] : []));
  if (gap.length > 0 || fitting.some(({ isSame }) => isSame)) {
    return { kind: 'may change', lacks: [...new Set([...lackingIn(fitting), ...gap])], ...ends(changed) };
  }
  return { kind: 'changed', before: changed.before, after: changed.after };
}

interface Try {
  /** Whether the old answer is the one of the log. */
  readonly isFitting: boolean;
  readonly isSame: boolean;
  readonly before: Way;
  readonly after: Way;
  /** Answers that were assumed, by the part of the request and the question. */
  readonly asked: ReadonlyMap<string, string>;
}

/** Enough is known where one try is the same and another is not. Where only one proxy is met, and it has not changed, one is enough. */
function isEnoughOf(isAlone: boolean, most: number): (result: Try, count: number) => boolean {
  let [same, changed] = [false, false];
  return ({ isFitting, isSame }, count) => {
    same ||= isFitting && isSame;
    changed ||= isFitting && !isSame;
    return count >= most || (same && (changed || isAlone));
  };
}

function ends(one: Try | undefined): Partial<Pick<Try, 'before' | 'after'>> {
  return one === undefined ? {} : { before: one.before, after: one.after };
}

/** The parts that decide: what was assumed of them tells tries with the same answer from the others. */
function lackingIn(tries: readonly Try[]): readonly string[] {
  const questions = [...new Set(tries.flatMap(({ asked }) => [...asked.keys()]))];
  const answersOf = (question: string, isSame: boolean): readonly (string | undefined)[] =>
    tries.filter((one) => one.isSame === isSame).map(({ asked }) => asked.get(question));
  const decisive = questions.filter((question) => {
    const others = answersOf(question, false);
    return answersOf(question, true).every((answer) => answer !== undefined && !others.includes(answer));
  });
  const asked = decisive.filter((question) => answersOf(question, false).every((answer) => answer !== undefined));
  const named = (asked.length > 0 ? asked : questions).map((question) => question.split('\0')[0] ?? '');
  return [...new Set(named)].sort();
}

/** A prediction that knows nothing misses nothing. */
function missed(tries: readonly Try[], { status = 0 }: LoggedRequest): LineVerdict {
  const gaps = tries.flatMap(({ before: { outcome } }) => (outcome.kind === 'unmodelled' ? [outcome.at] : []));
  if (gaps.length > 0) return { kind: 'may change', lacks: [...new Set(gaps)] };
  // Where the line has an answer, its connection was taken: the beginnings that no filter chain takes were others.
  const likely = tries.find(({ before: { outcome } }) => (outcome.kind === 'closed') === (status === 0));
  return { kind: 'miss', predicted: (likely ?? tries[0])?.before };
}

function tryOnce(
  { before: old, after: next, unchanged }: Versions,
  logged: LoggedRequest,
  placed: PlacedLine,
  { access, known, tls: presented }: KnownRequest,
  { choose, isCoarse }: { readonly choose: Choose; readonly isCoarse: boolean },
): Try {
  const chooseOnce = remembering(choose, logged);
  const asked = new Map<string, string>();
  const ask = (part: string, question: string): boolean => {
    const answer = chooseOnce('blank', `${part}\0${question}`, ['no', 'yes']);
    asked.set(`${part}\0${question}`, answer);
    return answer === 'yes';
  };
  const labels = presented.map((_, i) => String(i));
  const chosen = labels.length > 1 ? chooseOnce('blank', 'the beginning of the connection', labels) : labels[0];
  const tls = presented[Number(chosen)];
  if (labels.length > 1) asked.set('the beginning of the connection (TLS, protocols)', chosen ?? '');
  const follow = (world: World): Way => {
    const { placedWorld, writer } = withAddress(world, placed);
    const { address } = known.peer;
    const { namespace, name } = writer;
    const from: Client =
      placed.side === 'client'
        ? { kind: 'workload', namespace, name }
        : { kind: 'outside', address, ...(tls !== undefined && { tls }), ...identityOf(tls?.identities) };
    // Tokens are assumed, not judged: the clock decides nothing.
    const judge = { now: logged.startedAt ?? 0 };
    return travelOnce(placedWorld, { ...access, from }, judge, {
      choose: chooseOnce,
      blanks: { ...known, isCoarse, ask },
    });
  };
  const before = follow(old);
  if (!agrees(before, logged)) return { isFitting: false, isSame: false, before, after: before, asked };
  const isMet = before.legs.every(({ workload }) => unchanged.has(keyOf(workload)));
  const after = isMet ? before : follow(next);
  return { isFitting: true, isSame: isMet || sameAnswer(before, after), before, after, asked };
}

/** Several are told with the TLS. */
function identityOf(identities: readonly string[] | undefined): { readonly identity?: string } {
  const [identity, another] = identities ?? [];
  return identity === undefined || another !== undefined ? {} : { identity };
}

/** One question has one answer in both versions; where the log has the answer, that one. */
function remembering(choose: Choose, { upstreamHost, cluster }: LoggedRequest): Choose {
  const known = new Map<string, string>();
  return (kind, of, answers) => {
    const key = `${kind} ${of}`;
    const before = answers.find((answer) => answer === known.get(key));
    const isLogged = (answer: string): boolean =>
      kind === 'endpoint' ? answer.startsWith(`${upstreamHost?.address} `) : kind === 'weight' && answer === cluster;
    const answer = before ?? answers.find(isLogged) ?? choose(kind, of, answers);
    known.set(key, answer);
    return answer;
  };
}

/** The mesh with the proxy's workload at the address that the line has for it. */
function withAddress(world: World, { writer, side, source, destination }: PlacedLine) {
  const { address } = side === 'client' ? source : destination;
  const own = findWorkload(world, writer) ?? writer;
  if (own.addresses[0] === address) return { placedWorld: world, writer: own };
  const places = moved.get(world) ?? new Map<string, World>();
  moved.set(world, places);
  const place = `${keyOf(own)} ${address}`;
  const found = places.get(place);
  if (found !== undefined) return { placedWorld: found, writer: own };
  const others = world.mesh.workloads.filter((one) => one !== own);
  const addresses = [address, ...own.addresses.filter((one) => one !== address)];
  const workloads = [{ ...own, addresses }, ...others];
  const placedWorld = { ...world, mesh: { ...world.mesh, workloads } };
  // A log may name any number of addresses.
  if (places.size >= mostPlaces) places.clear();
  places.set(place, placedWorld);
  return { placedWorld, writer: own };
}

/** The mesh with one of its workloads at another address, by both. */
const moved = new WeakMap<World, Map<string, World>>();
const mostPlaces = 256;
