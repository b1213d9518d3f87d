import type { AccessRequest } from '../../access/evaluate/access-request.ts';
import { travel } from '../../access/evaluate/travel.ts';
import { pathSpellings } from '../../access/model/path-spellings.ts';
import { shortVerdict } from '../../access/report/text.ts';
import { keyOf, type World } from '../../access/world.ts';

type TokenJudge = Parameters<typeof travel>[2];

/** Other spellings of a request's path. */
export interface PathVariants {
  /** How many were tried. */
  readonly tried: number;
  /** Those that get another answer than the path itself. */
  readonly different: readonly PathVariant[];
}

export interface PathVariant {
  readonly path: string;
  /** One for each outcome. */
  readonly verdicts: readonly string[];
  /** Paths that the application gets, if it gets the request. */
  readonly delivered: readonly string[];
}

/** Asks about each other spelling of the path of these requests, which differ in their destination alone. */
export function pathVariants(world: World, accesses: readonly AccessRequest[], judge: TokenJudge): PathVariants {
  const path = accesses[0]?.request?.path;
  if (path === undefined) return { tried: 0, different: [] };
  const answer = (spelling: string): PathVariant => {
    const ways = accesses.flatMap((access) =>
      access.request === undefined
        ? []
        : travel(world, { ...access, request: { ...access.request, path: spelling } }, judge),
    );
    const verdicts = ways.map(({ outcome, target }) => shortVerdict(outcome, target && keyOf(target)));
    const delivered = ways.flatMap(({ outcome }) => (outcome.kind === 'reaches' ? (outcome.request?.path ?? []) : []));
    return { path: spelling, verdicts: [...new Set(verdicts)], delivered: [...new Set(delivered)] };
  };
  const expected = answer(path).verdicts.join('\n');
  const all = pathSpellings(path).map(answer);
  return { tried: all.length, different: all.filter(({ verdicts }) => verdicts.join('\n') !== expected) };
}

/** One line for people for each that differs, below a heading. */
export function formatVariants({ tried, different }: PathVariants): string {
  const lines = different.map(({ path, verdicts, delivered }) => {
    const got = delivered.length === 0 ? '' : `; the application gets ${delivered.join(' or ')}`;
    return `  ${path}: ${verdicts.join(', or ')}${got}`;
  });
  const count = different.length === 0 ? 'all have the same answer' : `${different.length} have another answer`;
  return [`${tried} other spellings of the path were tried, ${count}${lines.length > 0 ? ':' : ''}`, ...lines].join(
    '\n',
  );
}
