/** What a prediction cannot know, and which answer one of its outcomes assumes. */
export interface Unknown {
  /** `time`: a token ends or begins within two seconds. `blank`: something of the request that nobody has told. */
  readonly kind: 'authorizer' | 'fault' | 'weight' | 'endpoint' | 'time' | 'blank';
  /** Who decides it: name of an authorizer or a route, say. */
  readonly of: string;
  readonly answer: string;
}

/** Asks what no configuration says; the answers are tried one after the other. */
export type Choose = <T extends string>(kind: Unknown['kind'], of: string, answers: readonly T[]) => T;

/** One of several endpoints of a cluster or a service, each of which is an answer; undefined where there is none. */
export function oneEndpoint<T>(
  choose: Choose,
  of: string,
  endpoints: readonly T[],
  addressOf: (endpoint: T) => string,
): T | undefined {
  if (endpoints.length <= 1) return endpoints[0];
  // Several endpoints may have one address.
  const labels = endpoints.map((endpoint, i) => `${addressOf(endpoint)} ${i}`);
  const label = choose('endpoint', of, labels);
  return endpoints.find((_, i) => labels[i] === label);
}

/** One result, and what it assumes. */
export interface Possibility<T> {
  readonly result: T;
  readonly because: readonly Unknown[];
}

interface Turn {
  readonly kind: Unknown['kind'];
  readonly of: string;
  readonly answers: readonly string[];
  taken: number;
}

/** Runs `follow` once for each combination of answers that it meets, until that is enough. */
export function everyWay<T>(
  follow: (choose: Choose) => T,
  isEnough?: (result: T, count: number) => boolean,
): readonly Possibility<T>[] {
  const found: Possibility<T>[] = [];
  const turns: Turn[] = [];
  let depth = 0;
  const choose: Choose = (kind, of, answers) => {
    const known = turns[depth];
    const turn = known ?? { kind, of, answers, taken: 0 };
    if (known === undefined) turns.push(turn);
    depth++;
    return turn.answers[turn.taken] as (typeof answers)[number];
  };
  do {
    depth = 0;
    const result = follow(choose);
    // Most ask nothing.
    if (turns.length === 0) return [{ result, because: [] }];
    const because = turns
      .slice(0, depth)
      .map((turn): Unknown => ({ kind: turn.kind, of: turn.of, answer: turn.answers[turn.taken] ?? '' }));
    found.push({ result, because });
    if (isEnough?.(result, found.length) === true) break;
  } while (takeNext(turns));
  return found;
}

/** To the next combination: the last question that has another answer; false where there is none. */
function takeNext(turns: Turn[]): boolean {
  for (let last = turns.at(-1); last !== undefined; last = turns.at(-1)) {
    if (last.taken + 1 < last.answers.length) {
      last.taken++;
      return true;
    }
    turns.pop();
  }
  return false;
}
